import type { AnyMessage } from "@agentclientprotocol/sdk";
import { assertEquals } from "@std/assert";
import { Arrivals } from "../../src/acp/arrivals.ts";

/** An observed stream: what arrives in it, what leaves it, and which requests have had their turn. */
async function observed(...messages: [id: number | undefined, method: string, sessionId?: string][]) {
  const arrivals = new Arrivals();
  const out = new TransformStream<AnyMessage, AnyMessage>();
  const readable = ReadableStream.from(messages.map(([id, method, sessionId = "s"]): AnyMessage =>
    ({
      jsonrpc: "2.0",
      method,
      params: { sessionId },
      ...(id === undefined ? {} : { id }),
    }) as AnyMessage
  ));
  const stream = arrivals.observe({ readable, writable: out.writable });
  void out.readable.pipeTo(new WritableStream());
  const passed = (await Array.fromAsync(stream.readable)).map((m) => (m as { id?: number }).id);
  const begun: number[] = [];
  for (const [id] of messages) {
    if (id !== undefined) void arrivals.turnOf(id, new AbortController().signal).then(() => begun.push(id));
  }
  const writer = stream.writable.getWriter();
  const answer = (id: number) => writer.write({ jsonrpc: "2.0", id, result: {} } as AnyMessage);
  const turns = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return begun.toSorted((a, b) => a - b);
  };
  const cancelled = () =>
    messages.flatMap(([id]) => id !== undefined && arrivals.signalOf(id).aborted ? [id] : []);
  return { passed, answer, turns, cancelled };
}

Deno.test("a cancel hits the prompts before it and is not passed on", async () => {
  const { passed, cancelled, turns, answer } = await observed(
    [1, "session/prompt"],
    [2, "session/prompt", "other"],
    [undefined, "session/cancel"],
    [3, "session/prompt"],
  );
  assertEquals([passed, cancelled(), await turns()], [[1, 2, 3], [1], [1, 2]]);
  await answer(1);
  assertEquals(await turns(), [1, 2, 3]);
});

Deno.test("a close cancels and awaits the prompts before it; those behind it wait for the close", async () => {
  const { cancelled, turns, answer } = await observed(
    [1, "session/prompt"],
    [2, "session/close"],
    [3, "session/prompt"],
    [4, "session/prompt", "other"],
  );
  assertEquals([cancelled(), await turns()], [[1], [1, 4]]);
  await answer(1);
  assertEquals(await turns(), [1, 2, 4]);
  await answer(2);
  assertEquals(await turns(), [1, 2, 3, 4]);
});

Deno.test("a load waits for what opened or ended the session before it, not for prompts", async () => {
  const { cancelled, turns, answer } = await observed(
    [1, "session/prompt"],
    [2, "session/resume"],
    [3, "session/load"],
    [4, "session/set_mode"],
  );
  assertEquals([cancelled(), await turns()], [[], [1, 2]]);
  await answer(2);
  assertEquals(await turns(), [1, 2, 3]);
  await answer(3);
  assertEquals(await turns(), [1, 2, 3, 4]);
});

Deno.test("an id that is used twice holds up nothing", async () => {
  const { turns, answer } = await observed([1, "session/prompt"], [1, "session/prompt"], [
    2,
    "session/delete",
  ]);
  assertEquals(await turns(), [1, 1]);
  await answer(1);
  assertEquals(await turns(), [1, 1, 2]);
});
