import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { namesIn } from "../support/files.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";
import type { Stage } from "../support/stage.ts";
import type { Fields } from "../support/wire.ts";

async function execJson(stage: Stage, command: string, ...flags: string[]): Promise<Fields> {
  const args = ["exec", "--json", "--cwd", stage.workspace, ...flags, "--", command];
  const { code, stdout, stderr } = await runProgram(stage, args);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(stdout.trim().split("\n").length, 1, "one object on one line");
  return JSON.parse(stdout);
}

onEmptyStage("exec --json tells how a command ended and what confined it", {}, async (stage, t) => {
  await t.step("with its exit code and output", async () => {
    const { durationMs, layers, enforcement, ...rest } = await execJson(stage, "pwd; echo err >&2; exit 3");
    const output = `${stage.workspace}\nerr\n`;
    assertEquals(rest, {
      exitCode: 3,
      signal: null,
      timedOut: false,
      output,
      truncated: false,
      preset: "workspace",
    });
    assert(typeof durationMs === "number" && durationMs >= 0);
    assert(
      (layers as string[]).includes("env-scrub") && (layers as string[]).includes("landlock"),
      String(layers),
    );
    assert(["full", "partial"].includes(String(enforcement)));
  });

  await t.step("with the signal that killed it", async () => {
    const { exitCode, signal } = await execJson(stage, "kill -9 $$");
    assertEquals([exitCode ?? null, signal], [null, "SIGKILL"]);
  });

  await t.step("with its time-out", async () => {
    const { timedOut, output } = await execJson(stage, "echo out; sleep 300", "--timeout-ms", "500");
    assertEquals([timedOut, output], [true, "out\n"]);
  });

  await t.step("with its preset: read-only cannot write", async () => {
    const { preset, exitCode } = await execJson(stage, "echo x > made", "--preset", "read-only");
    assertEquals(preset, "read-only");
    assert(exitCode !== 0);
    assertEquals(namesIn(stage.workspace), []);
  });

  await t.step("with its preset: full-access is not confined, and says so", async () => {
    const { preset, enforcement, layers, exitCode } = await execJson(
      stage,
      `echo x > ${stage.outside}/made`,
      "--preset",
      "full-access",
    );
    assertEquals([preset, enforcement, exitCode], ["full-access", "none", 0]);
    assert((layers as string[]).includes("env-scrub"), "the environment is scrubbed all the same");
    assert(!(layers as string[]).includes("landlock"));
  });

  await t.step("with what was cut of a long output", async () => {
    const { truncated, output } = await execJson(stage, "seq 1 1000000");
    assertEquals(truncated, true);
    assert(String(output).startsWith("1\n2\n") && String(output).trimEnd().endsWith("1000000"));
  });
});

onEmptyStage("exec prints the output and ends as its command did", {}, async (stage) => {
  const exec = (...args: string[]) => runProgram(stage, ["exec", "--cwd", stage.workspace, ...args]);
  const ended = await exec("--", "echo hello; exit 3");
  assertEquals([ended.code, ended.stdout], [3, "hello\n"]);
  assertEquals((await exec("--", "echo", "a", "b")).stdout, "a b\n");
  assertEquals((await exec("--", "true")).code, 0);
  const missing = await runProgram(stage, ["exec", "--cwd", stage.path("missing"), "--", "true"]);
  assert(missing.code !== 0);
  assertStringIncludes(missing.stderr, stage.path("missing"));
});

onEmptyStage("exec logs to stderr and keeps stdout to itself", {}, async (stage) => {
  const args = ["exec", "--json", "--cwd", stage.workspace, "--", "echo out"];
  const { code, stdout, stderr } = await runProgram(stage, args, { DSH_LOG: "debug" });
  assertEquals([code, JSON.parse(stdout).output], [0, "out\n"]);
  for (const line of stderr.trim().split("\n")) assert(line === "" || JSON.parse(line), line);
});

onEmptyStage("exec shows no key to its command, and needs none", {}, async (stage) => {
  const { stdout } = await runProgram(stage, ["exec", "--cwd", stage.workspace, "--", "env"]);
  assertStringIncludes(stdout, "PATH=");
  assert(!/DEEPSEEK|sk-e2e/.test(stdout));
  const without = await runProgram(stage, ["exec", "--cwd", stage.workspace, "--", "true"], {
    DEEPSEEK_API_KEY: undefined,
    DEEPSEEK_BASE_URL: undefined,
  });
  assertEquals(without.code, 0);
});
