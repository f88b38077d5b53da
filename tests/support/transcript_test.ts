import { assertEquals, assertNotEquals } from "@std/assert";
import { Transcript } from "./transcript.ts";
import type { Update } from "./wire.ts";

const call = (toolCallId: string, sessionUpdate: string, status: string): Update =>
  ({ sessionUpdate, toolCallId, status }) as Update;

Deno.test("calls that end in another order have the same transcript", () => {
  const announced = [call("x", "tool_call", "pending"), call("y", "tool_call", "pending")];
  const end = (id: string) => call(id, "tool_call_update", "completed");
  const [one, other] = [["x", "y"], ["y", "x"]].map((ids) =>
    new Transcript([]).updates([...announced, ...ids.map(end)])
  );
  assertEquals(one, other);
  const early = new Transcript([]).updates([announced[0]!, end("x"), announced[1]!, end("y")]);
  assertNotEquals(early, one, "an announcement keeps its place");
});

Deno.test("times, folders and ids are named, all else stays", () => {
  const transcript = new Transcript([["/tmp/r/w", "$WORKSPACE"], ["/tmp/r", "$ROOT"]]);
  const text = "/tmp/r/w/a and /tmp/r/b: job1 ended after 0.3 s, not after 3 lines";
  assertEquals(
    transcript.normalize(text),
    "$WORKSPACE/a and $ROOT/b: job1 ended after $SECONDS, not after 3 lines",
  );
  assertEquals([1, 2, 1].map((n) => transcript.normalize(`c${n}`, "toolCallId")), [
    "call-1",
    "call-2",
    "call-1",
  ]);
});

Deno.test("what hangs on the length of a path is not told: how much was left out", () => {
  const transcript = new Transcript([]);
  const clipped = (n: number) => transcript.normalize(`a\n… ${n} characters left out …\nb`);
  assertEquals(clipped(10), clipped(2000));
  const list = (n: number) =>
    transcript.normalize([...Array(n).fill("x"), `… ${9 * n} more changes left out …`]);
  assertEquals(list(20), list(30));
  assertEquals(transcript.normalize(Array(20).fill("x")), ["x", "x", "x", "[… 16 more entries …]", "x"]);
});
