import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CommandExit, CommandResult } from "../../../src/bash/executor_handle.ts";
import {
  exitMarker,
  MODEL_HEAD,
  MODEL_TAIL,
  modelText,
  parseExitMarker,
  stopMarker,
  stopNote,
} from "../../../src/tool/bash/markers.ts";

const RESULT: CommandResult = {
  exit: { code: 0 },
  stopped: undefined,
  totalBytes: 0,
  omittedBytes: 0,
  tail: "",
  spillPath: undefined,
  strays: 0,
  durationMs: 1,
};

Deno.test("the exit marker and the structured exit are each other's inverse", () => {
  const exits: CommandExit[] = [{ code: 0 }, { code: 1 }, { code: 3 }, { code: 137 }, { signal: "SIGKILL" }, {
    signal: "SIGTERM",
  }];
  for (const exit of exits) assertEquals(parseExitMarker(exitMarker(exit)), exit);
});

Deno.test("the last line tells the true exit, whatever the command printed", () => {
  const text = modelText("x\n[exit code: 7]", { ...RESULT, exit: { code: 3 } }, { timeoutMs: 1000 });
  assertEquals(parseExitMarker(text), { code: 3 });
});

Deno.test("modelText() adds nothing to a short output that ended with 0", () => {
  assertEquals(modelText("hi\n", RESULT, { timeoutMs: 1000 }), "hi");
  assertEquals(modelText("", RESULT, { timeoutMs: 1000 }), "[no output]");
});

Deno.test("modelText() says what stopped the command, last how it ended", () => {
  const text = modelText(
    "a\n",
    { ...RESULT, stopped: "timeout", exit: { signal: "SIGTERM" }, strays: 2 },
    { timeoutMs: 500 },
  );
  assertEquals(
    text,
    "a\n[2 background processes stopped; `background` keeps one running]\n[timed out after 500ms]\n[killed by signal: SIGTERM]",
  );
});

Deno.test("modelText() cuts a long output in the middle and counts what is left out", () => {
  const live = "a".repeat(200_000);
  const text = modelText(live, { ...RESULT, totalBytes: 200_000, spillPath: "/t/spill" }, {
    timeoutMs: 1000,
  });
  assert(text.length < MODEL_HEAD + MODEL_TAIL + 200);
  assertStringIncludes(text, `[output truncated: ${200_000 - MODEL_HEAD - MODEL_TAIL} bytes left out here`);
  assertStringIncludes(text, "/t/spill");
});

Deno.test("modelText() shows the end that was not streamed any more", () => {
  const result = { ...RESULT, totalBytes: 1_000_000, omittedBytes: 700_000, tail: "the end\n" };
  const text = modelText("a".repeat(250_000), result, { timeoutMs: 1000 });
  assert(text.endsWith("the end"));
});

Deno.test("modelText() names protected files that were put back", () => {
  const restored = ["/w/.git/config", ...Array.from({ length: 6 }, (_, i) => `/w/.git/hooks/${i}`)];
  const text = modelText("", { ...RESULT, restored }, { timeoutMs: 1000 });
  assertEquals(
    text,
    "[protected files were put back as they were: /w/.git/config, /w/.git/hooks/0, /w/.git/hooks/1, /w/.git/hooks/2, /w/.git/hooks/3 and 2 more]",
  );
});

Deno.test("modelText() puts the hint before the exit, which stays the last line", () => {
  const text = modelText("out\n", { ...RESULT, exit: { code: 6 } }, {
    timeoutMs: 1000,
    hint: "[Sandbox: x.]",
  });
  assertEquals(text, "out\n[Sandbox: x.]\n[exit code: 6]");
});

Deno.test("a cause of stopping that has no words of its own is named", () => {
  assertEquals(stopMarker("memory-limit", 1), "[stopped: too much memory]");
  const unknown = "sun-spots" as NonNullable<CommandResult["stopped"]>;
  assertEquals(stopMarker(unknown, 1), "[stopped: sun spots]");
  assertEquals(stopNote(unknown), "Stopped: sun spots.");
  assertEquals(stopMarker("killed", 1), "[ended by job_kill]");
});

Deno.test("modelText() gives the model no terminal sequences", () => {
  const live = "\x1b[31mred\x1b[0m \x1b]0;title\x07plain\n";
  assertEquals(modelText(live, RESULT, { timeoutMs: 1000 }), "red plain");
});
