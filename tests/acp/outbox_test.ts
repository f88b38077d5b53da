import { assertEquals } from "@std/assert";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { Outbox } from "../../src/acp/outbox.ts";

const text = (messageId: string, text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: { type: "text", text },
});

/** A client that takes each update only when told. */
class SlowClient {
  readonly got: string[] = [];
  readonly #takes: PromiseWithResolvers<void>[] = [];
  readonly outbox = new Outbox((session, update) => {
    const content = "content" in update && update.content && "text" in update.content
      ? update.content.text
      : "";
    this.got.push(`${session}:${content}`);
    const take = Promise.withResolvers<void>();
    this.#takes.push(take);
    return take.promise;
  });

  async take(): Promise<void> {
    this.#takes.shift()?.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  fail(): void {
    this.#takes.shift()?.reject(new Error("EPIPE"));
  }
}

Deno.test("updates keep their order, and what waits for a slow client is merged", async () => {
  const client = new SlowClient();
  for (const piece of ["1", "2", "3"]) client.outbox.push("a", text("m1", piece));
  client.outbox.push("a", text("m2", "4"));
  client.outbox.push("a", text("m1", "5"));
  for (let i = 0; i < 4; i++) await client.take();
  assertEquals(client.got, ["a:1", "a:23", "a:4", "a:5"]);
});

Deno.test("sessions take turns", async () => {
  const client = new SlowClient();
  for (const message of ["1", "2", "3"]) client.outbox.push("a", text(message, message));
  client.outbox.push("b", text("x", "x"));
  for (let i = 0; i < 4; i++) await client.take();
  assertEquals(client.got, ["a:1", "a:2", "b:x", "a:3"]);
});

Deno.test("flushed() resolves when all updates of its session are written, not before", async () => {
  const client = new SlowClient();
  let flushed = false;
  client.outbox.push("a", text("1", "1"));
  client.outbox.push("a", text("2", "2"));
  const wait = client.outbox.flushed("a").then(() => flushed = true);
  await client.take();
  assertEquals(flushed, false);
  await client.take();
  await wait;
  await client.outbox.flushed("b");
});

Deno.test("once the client is gone everything is dropped and every wait ends", async () => {
  const client = new SlowClient();
  client.outbox.push("a", text("1", "1"));
  client.outbox.push("a", text("2", "2"));
  const waits = [client.outbox.flushed("a"), client.outbox.ready("a")];
  client.fail();
  await Promise.all(waits);
  client.outbox.push("a", text("3", "3"));
  assertEquals(client.got, ["a:1"]);
});
