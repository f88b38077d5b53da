import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { programCommand, ROOT } from "../support/agent.ts";
import { plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { exists } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { WRONG_KEY } from "../support/model_server.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";
import { initializeParams, type Stage } from "../support/stage.ts";
import type { Fields } from "../support/wire.ts";

/** The key that the user types in. */
const KEY = "sk-typed-7f3a9b2c4d5e6f708192a3b4";
const NO_KEY = { DEEPSEEK_API_KEY: undefined };
const SECRET = { secrets: { UNUSED_NAME: KEY }, env: { ...NO_KEY, UNUSED_NAME: undefined } };

const keysFile = (stage: Stage) => `${stage.home}/.config/dsh-acp/keys.json`;
const login = (stage: Stage, key: string, args: string[] = []) =>
  runProgram(stage, ["login", ...args], NO_KEY, `${key}\n`);

onEmptyStage("login keeps a key that the provider takes, for this user only", SECRET, async (stage) => {
  const { code, stdout, stderr } = await login(stage, KEY);
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(stdout, keysFile(stage));
  assert(!stdout.includes(KEY));
  assertEquals(JSON.parse(await Deno.readTextFile(keysFile(stage))), { deepseek: KEY });
  assertEquals((await Deno.stat(keysFile(stage))).mode! & 0o777, 0o600);
});

onEmptyStage(
  "login keeps nothing that is no key, is refused, or could not be checked",
  SECRET,
  async (stage) => {
    const cases: [
      key: string,
      args: string[],
      env: Record<string, string | undefined>,
      code: number,
      said: RegExp,
    ][] = [
      ["", [], {}, 2, /no key/i],
      ["with a space", [], {}, 2, /no key/i],
      [WRONG_KEY, [], {}, 1, /does not take this key/],
      [KEY, [], { DEEPSEEK_BASE_URL: "http://127.0.0.1:9/v1" }, 1, /could not be asked/],
      [KEY, ["--provider", "nobody"], {}, 2, /no provider "nobody".*deepseek/],
      [KEY, [KEY], {}, 2, /typed in, never given/],
    ];
    for (const [key, args, env, wanted, said] of cases) {
      const { code, stdout, stderr } = await runProgram(
        stage,
        ["login", ...args],
        { ...NO_KEY, ...env },
        `${key}\n`,
      );
      assertEquals([code, stdout], [wanted, ""], stderr);
      assertMatch(stderr, said);
      assert(!exists(keysFile(stage)));
    }
  },
);

/** Starts a shell command in a terminal of its own. */
function inTerminal(stage: Stage, command: string): Deno.ChildProcess {
  return new Deno.Command("script", {
    args: ["-qec", command, "/dev/null"],
    cwd: ROOT,
    env: { ...stage.environment(NO_KEY), SHELL: "/bin/sh" },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

onEmptyStage("login in a terminal does not show the key", SECRET, async (stage) => {
  const command = programCommand("login").map((word) => `'${word}'`).join(" ");
  const child = inTerminal(stage, command);
  const input = child.stdin.getWriter();
  let shown = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const asked = shown.includes("not shown");
    shown += text;
    // A slip of the finger, taken back, and the rest of the key.
    if (!asked && shown.includes("not shown")) await input.write(new TextEncoder().encode(`x\x7f${KEY}\r`));
  }
  await input.close().catch(() => {});
  assertEquals((await child.status).code, 0, shown);
  assert(!shown.includes(KEY.slice(3, 12)), shown);
  assertEquals(JSON.parse(await Deno.readTextFile(keysFile(stage))), { deepseek: KEY });
});

onEmptyStage("login that a signal ends leaves a terminal that shows what is typed", SECRET, async (stage) => {
  const login = programCommand("login").map((word) => `'${word}'`).join(" ");
  // In the background of a script it would not be asked: the shell tells its own number, and becomes the program.
  const command = `sh -c 'echo $$ > "$HOME/pid"; exec "$@"' sh ${login}; echo "ended $?"; stty -a`;
  const child = inTerminal(stage, command);
  let shown = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const asked = shown.includes("not shown");
    shown += text;
    if (asked || !shown.includes("not shown")) continue;
    Deno.kill(Number(await Deno.readTextFile(`${stage.home}/pid`)), "SIGTERM");
  }
  await child.stdin.close().catch(() => {});
  await child.status;
  assertMatch(shown, /ended 143/);
  assertMatch(shown, / icanon [^]* echo /);
});

const methods = (answer: Fields) => (answer.authMethods as Fields[]).map((m) => m.type ?? "agent");

onEmptyStage(
  "a key typed in meanwhile serves the agent that runs, until the logout",
  SECRET,
  async (stage) => {
    const agent = stage.launch({ args: ["--log-level", "debug", "--log-file", `${stage.root}/log`] });
    const first = await agent.call("initialize", initializeParams(zedCapabilities));
    assertEquals(methods(first), ["terminal", "agent"]);
    const [terminal, environment] = first.authMethods as Fields[];
    assertEquals(terminal!.args, ["login"]);
    const session = await stage.session();
    const authenticate = { methodId: environment!.id };

    const refused = await session.prompt("Hello");
    assertEquals(refused.answer.error?.code, -32000);
    assertMatch(refused.answer.error!.message, /dsh-acp login.*DEEPSEEK_API_KEY/);
    assertEquals((await agent.refusal("authenticate", authenticate)).code, -32000);
    assertEquals((await agent.refusal("authenticate", { methodId: "other" })).code, -32602);

    // As an editor does it: the arguments of the method are put behind those that the agent is started with.
    const typed = await runProgram(
      stage,
      ["--log-level", "off", ...terminal!.args as string[]],
      NO_KEY,
      `${KEY}\n`,
    );
    assertEquals(typed.code, 0, typed.stderr);
    await agent.call("authenticate", authenticate);
    assertEquals(
      (await session.run(script(["bash", "env; cat ~/.config/dsh-acp/*"], ["text", "ok"]))).stopReason,
      "end_turn",
    );
    assertEquals(stage.model.lastCall.authorization, `Bearer ${KEY}`);
    assert(!stage.model.lastCall.text.includes(KEY), "a command saw the key");
    assertEquals(methods(await agent.call("initialize", initializeParams(zedCapabilities))), []);

    assertEquals(await agent.call("logout", {}), {});
    assert(!exists(keysFile(stage)));
    assertEquals((await session.prompt("Hello")).answer.error?.code, -32000);
    assertEquals(methods(await agent.call("initialize", initializeParams(plainCapabilities))), ["agent"]);
    const log = await Deno.readTextFile(`${stage.root}/log`);
    assert(log.length > 0 && !log.includes(KEY), "the key is in the log");
  },
);

onEmptyStage("a logout says that a key of the environment stays", SECRET, async (stage) => {
  await login(stage, KEY);
  const agent = await stage.start({ env: { DEEPSEEK_API_KEY: "sk-environment-0123456789" } });
  const answer = await agent.call("logout", {});
  assertMatch(String((answer._meta as Fields).note), /deepseek.*environment.*stays/);
  const session = await stage.session();
  await session.run("Hello");
  assertEquals(stage.model.lastCall.authorization, "Bearer sk-environment-0123456789");
  const { code, stdout } = await runProgram(stage, ["logout"], {
    DEEPSEEK_API_KEY: "sk-environment-0123456789",
  });
  assertEquals(code, 0);
  assertMatch(stdout, /No key was kept\.\nStill there.*deepseek/);
});

onEmptyStage("the environment's key goes before the one that was typed in", SECRET, async (stage) => {
  const { stdout } = await runProgram(
    stage,
    ["login"],
    { DEEPSEEK_API_KEY: "sk-environment-0123456789" },
    `${KEY}\n`,
  );
  assertMatch(stdout, /goes first/);
  await stage.start({ env: { DEEPSEEK_API_KEY: "sk-environment-0123456789" } });
  await (await stage.session()).run("Hello");
  assertEquals(stage.model.lastCall.authorization, "Bearer sk-environment-0123456789");
});

onEmptyStage("a broken file of keys counts as none, and a login mends it", SECRET, async (stage) => {
  await login(stage, KEY);
  await Deno.writeTextFile(keysFile(stage), `{"deepseek": `);
  const agent = await stage.start({ client: plainCapabilities });
  const session = await stage.session();
  assertEquals((await session.prompt("Hello")).answer.error?.code, -32000);
  await login(stage, KEY);
  await session.run("Hello");
  assertEquals(agent.stderr, "");
});
