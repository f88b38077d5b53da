import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import { namesIn } from "../support/files.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";

onEmptyStage("--help names every command and setting", {}, async (stage) => {
  const { code, stdout, stderr } = await runProgram(stage, ["--help"]);
  assertEquals([code, stderr], [0, ""]);
  for (const word of ["demo", "exec", "--preset", "--model", "--version", "DEEPSEEK_API_KEY"]) {
    assertStringIncludes(stdout, word);
  }
});

onEmptyStage("--version prints the version of deno.json", {}, async (stage) => {
  const { code, stdout, stderr } = await runProgram(stage, ["--version"]);
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, new RegExp(`(^|\\s)${manifest.version.replaceAll(".", "\\.")}\\s*$`));
});

onEmptyStage("bad usage ends with 2 and says what was wrong, not on stdout", {}, async (stage) => {
  const wrong = [["--nope"], ["nope"], ["--preset", "sudo"], ["exec"], ["exec", "--nope", "--", "true"], [
    "--preset",
  ]];
  for (const args of wrong) {
    const { code, stdout, stderr } = await runProgram(stage, args);
    assertEquals([code, stdout], [2, ""], args.join(" "));
    assert(stderr.trim().length > 0, `nothing is said of ${args.join(" ")}`);
    assert(!stderr.includes("    at "), "a stack is no help");
  }
});

onEmptyStage("a setting that is wrong ends the agent with its name, before it serves", {}, async (stage) => {
  const config = await stage.write("config.jsonc", "{ broken");
  const wrong: [env: Record<string, string>, named: string][] = [
    [{ DSH_PRESET: "sudo" }, "sudo"],
    [{ DSH_CONFIG: config }, config],
    [{ DSH_CONFIG: stage.path("missing.jsonc") }, stage.path("missing.jsonc")],
    [{ DSH_LOG: "shouting" }, "shouting"],
  ];
  for (const [env, named] of wrong) {
    const { code, stdout, stderr } = await runProgram(stage, [], env);
    assertEquals([code === 0, stdout], [false, ""], JSON.stringify(env));
    assertStringIncludes(stderr, named);
    assertEquals(stderr.trim().split("\n").length, 1, stderr);
  }
});

onEmptyStage("demo shows a whole turn, and leaves nothing behind", {}, async (stage) => {
  const env = {
    NO_COLOR: "1",
    DEEPSEEK_API_KEY: undefined,
    DEEPSEEK_BASE_URL: undefined,
    TMPDIR: stage.outside,
  };
  const { code, stdout, stderr } = await runProgram(stage, ["demo"], env);
  assertEquals([code, stderr], [0, ""]);
  assert(!stdout.includes("\x1b"), "NO_COLOR is set, and there is an escape sequence");
  assertMatch(stdout, /^\s*[-+−] ?\S/m, "a diff");
  assertMatch(stdout, /exit(ed)?\s*(code)?:?\s*0|✓|✔/i, "the mark of a good exit");
  assertMatch(stdout, /denied|not permitted|read-only file system|refused/i, "a command that is stopped");
  assertEquals(namesIn(stage.outside), []);
});
