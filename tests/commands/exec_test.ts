import { assert, assertEquals, assertMatch } from "@std/assert";
import { exec, type ExecOptions } from "../../src/commands/exec.ts";
import type { Config } from "../../src/config/config.ts";
import { namesIn } from "../support/files.ts";
import { environmentIn, makePlace, type Place } from "../bash/rig.ts";

async function run(place: Place, command: string, more: Partial<ExecOptions> = {}) {
  const printed = { stdout: "", stderr: "" };
  const config: Config = {
    model: undefined,
    systemPrompt: undefined,
    agentName: "dsh-acp",
    agentVersion: "0",
    preset: "workspace",
    stateDir: place.stateDir,
    configFile: `${place.home}/none`,
    keysFile: `${place.home}/keys.json`,
    log: { level: "off", file: undefined },
    providers: {},
    envPass: [],
    fetch: { allowPrivate: [] },
    mcpServers: [],
    rules: {},
    limits: {},
    maxModelCalls: 200,
    titles: true,
    models: {},
    environment: { ...environmentIn(place.home), DENO_DIR: `${place.root}/deno` },
    home: place.home,
  };
  const code = await exec(
    { config, preset: "workspace", cwd: place.workspace, timeoutMs: 20_000, json: false, command, ...more },
    { stdout: (text) => void (printed.stdout += text), stderr: (text) => void (printed.stderr += text) },
  );
  assertEquals(namesIn(`${place.stateDir}/tmp`), ["s1"]); // the place's own
  return { code, ...printed };
}

Deno.test("exec() prints the output and gives the command's exit code", async () => {
  await using place = await makePlace();
  assertEquals(await run(place, "echo a; echo b >&2; exit 3"), { code: 3, stdout: "a\nb\n", stderr: "" });
  assertEquals((await run(place, "kill -9 $$")).code, 137);
  assertEquals((await run(place, "sleep 9", { timeoutMs: 50 })).code, 124);
});

Deno.test("exec() with json prints one object", async () => {
  await using place = await makePlace();
  const { code, stdout } = await run(place, "echo hi; exit 3", { json: true });
  assertEquals(code, 0);
  const { durationMs, enforcement, layers, missing = [], ...rest } = JSON.parse(stdout);
  assert(durationMs >= 0);
  assertEquals(rest, {
    ...{ exitCode: 3, signal: null, timedOut: false, output: "hi\n", truncated: false },
    preset: "workspace",
  });
  const full = enforcement === "full";
  const outer = full ? ["bubblewrap"] : [];
  assertEquals(layers, ["deno", "env-scrub", ...outer, "landlock", "seccomp", "capabilities"]);
  assertEquals(missing.length === 0, full);
});

Deno.test("exec() says in one line why a command could not be run", async () => {
  await using place = await makePlace();
  const cases: [more: Partial<ExecOptions>, message: RegExp][] = [
    [{ cwd: `${place.root}/none` }, /working directory .*none does not exist/],
  ];
  for (const [more, message] of cases) {
    const { code, stdout, stderr } = await run(place, "true", more);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, message);
    assertEquals(stderr.trimEnd().split("\n").length, 1);
  }
});

Deno.test("exec() in the home directory says that it is not writable", async () => {
  await using place = await makePlace();
  const { code, stderr } = await run(place, "echo x > file", { cwd: place.home });
  assertEquals(code, 1);
  assertMatch(stderr, /is not writable: it is the home directory/);
});
