import { assert, assertEquals, assertMatch } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { API_KEY } from "../support/stage.ts";

/** Secrets by their name, by their value, in names that look harmless, and in names that are let through. */
const SECRETS: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: "value-of-openai-key",
  GITHUB_TOKEN: "ghp_0123456789abcdefghij0123456789abcdef",
  DATABASE_URL: "postgres://admin:hunter2secret@db.example/prod",
  MY_PAT: "value-of-my-pat",
  AWS_CREDENTIALS: "AKIAIOSFODNN7EXAMPLE",
  NPM_CONFIG__AUTH: "bnBtOnNlY3JldC12YWx1ZQ==",
  HARMLESS: "sk-ant-REDACTED",
  GREETING: "xoxb-123456789012-abcdefghijkl",
  FAVOURITE_COLOUR: "just-some-private-value",
  DSH_SOMETHING: "value-of-dsh-something",
  LC_TOKEN: "value-of-lc-token",
  TZ: "ghp_abcdefghij0123456789abcdefghij012345",
  XDG_DATA_HOME: "https://user:hunter3secret@host.example/data",
  HTTPS_PROXY: "http://user:hunter4secret@proxy.example:8080",
  BASH_ENV: "/nonexistent/value-of-bash-env",
};

for (const preset of ["workspace", "full-access"]) {
  onStage(`no secret is in the environment of a command (${preset})`, {
    secrets: SECRETS,
    env: { DSH_PRESET: preset, LC_ALL: "C.UTF-8" },
  }, async (stage, t) => {
    const session = await stage.session();

    await t.step("whatever its name or value looks like", async () => {
      await session.run(script(["bash", "env; export -p; set"], ["text", "ok"]));
      const told = stage.model.told;
      for (const [name, value] of Object.entries(SECRETS)) {
        assert(!told.includes(value), `${name} is seen`);
      }
      assert(!told.includes(API_KEY), "the API key is seen");
    });

    await t.step("while PATH, HOME and LANG are there", async () => {
      await session.run(script(["bash", `printf '%s\\n' "$PATH" "$HOME" "$LANG" "$LC_ALL"`], ["text", "ok"]));
      assertEquals(stage.model.told.trim().split("\n"), [
        Deno.env.get("PATH"),
        stage.home,
        "C.UTF-8",
        "C.UTF-8",
      ]);
    });
  });
}

onStage("no command can read the key out of the agent's process", {}, async (stage) => {
  const session = await stage.session();
  const find = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^DEEPSEEK_API_KEY='; true";
  await session.run(script(["bash", find], ["text", "ok"]));
  assertMatch(stage.model.told, /^0\s*$/);
  const memory = `head -c 16 /proc/${stage.agent.pid}/mem > /dev/null && echo open; ` +
    `readlink /proc/${stage.agent.pid}/fd/0 > /dev/null && echo followed`;
  await session.run(script(["bash", memory], ["text", "ok"]));
  assert(!/^(open|followed)$/m.test(stage.model.told), stage.model.told);
});

onStage("the log file tells what happened, stderr stays silent, and no key is in it", {}, async (stage) => {
  const file = `${stage.root}/agent.log`;
  await stage.start({ args: ["--log-level", "debug", "--log-file", file] });
  const session = await stage.session();
  await session.run(script(["bash", "env"], ["text", "ok"]));
  await session.prompt(script(["http", 401, `Your api key ${API_KEY} is invalid`]));
  const log = await Deno.readTextFile(file);
  assert(log.trim().length > 0, "the log is empty");
  for (const line of log.trim().split("\n")) assert(JSON.parse(line));
  assert(!log.includes(API_KEY), "the key is in the log");
});
