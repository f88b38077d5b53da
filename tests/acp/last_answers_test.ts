import { assertEquals } from "@std/assert";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { answerLast } from "../../src/acp/last_answers.ts";
import { within } from "../support/waiting.ts";

const request = (id: number, method: string): AnyMessage => ({ jsonrpc: "2.0", id, method, params: {} });
const answer = (id: number): AnyMessage => ({ jsonrpc: "2.0", id, result: {} });

/** A stream whose input has ended behind these messages; what is written to it is read and forgotten. */
async function ended(...messages: AnyMessage[]) {
  const stream = answerLast({
    readable: ReadableStream.from(messages),
    writable: new WritableStream<AnyMessage>(),
  });
  const reader = stream.readable.getReader();
  for (const message of messages) assertEquals((await reader.read()).value, message);
  let over = false;
  const end = reader.read().then(() => over = true);
  return { writer: stream.writable.getWriter(), end, isOver: () => over };
}

Deno.test("the end of the input waits for the last answer", async () => {
  const { writer, end, isOver } = await ended(request(1, "session/list"), request(2, "session/new"));
  await writer.write(answer(1));
  await writer.write(request(1, "session/request_permission")); // the agent's own: no answer
  assertEquals(isOver(), false);
  await writer.write(answer(2));
  await within("the end", end);
});

Deno.test("it does not wait for prompts and notifications, nor for an answer that never comes", async () => {
  for (
    const messages of [
      [],
      [request(1, "session/prompt"), { jsonrpc: "2.0", method: "x" } as AnyMessage],
      [request(1, "session/list")],
    ]
  ) {
    const { end } = await ended(...messages);
    await within("the end", end);
  }
});
