import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CommandExit, CommandResult } from "../../src/bash/executor_handle.ts";
import { exitMarker, MODEL_HEAD, MODEL_TAIL, modelText, parseExitMarker } from "../../src/tool/markers.ts";

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
  const text = modelText("x\n[exit code: 7]", { ...RESULT, exit: { code: 3 } }, 1000);
  assertEquals(parseExitMarker(text), { code: 3 });
});

Deno.test("modelText() adds nothing to a short output that ended with 0", () => {
  assertEquals(modelText("hi\n", RESULT, 1000), "hi");
  assertEquals(modelText("", RESULT, 1000), "[no output]");
});

Deno.test("modelText() says what stopped the command, last how it ended", () => {
  const text = modelText(
    "a\n",
    { ...RESULT, stopped: "timeout", exit: { signal: "SIGTERM" }, strays: 2 },
    500,
  );
  assertEquals(
    text,
    "a\n[2 background processes stopped]\n[timed out after 500ms]\n[killed by signal: SIGTERM]",
  );
});

Deno.test("modelText() cuts a long output in the middle and counts what is left out", () => {
  const live = "a".repeat(200_000);
  const text = modelText(live, { ...RESULT, totalBytes: 200_000, spillPath: "/t/spill" }, 1000);
  assert(text.length < MODEL_HEAD + MODEL_TAIL + 200);
  assertStringIncludes(text, `[output truncated: ${200_000 - MODEL_HEAD - MODEL_TAIL} bytes left out here`);
  assertStringIncludes(text, "/t/spill");
});

Deno.test("modelText() shows the end that was not streamed any more", () => {
  const result = { ...RESULT, totalBytes: 1_000_000, omittedBytes: 700_000, tail: "the end\n" };
  const text = modelText("a".repeat(250_000), result, 1000);
  assert(text.endsWith("the end"));
});
