import { assert, assertEquals, assertRejects } from "@std/assert";
import { PromptQueue } from "../../src/session/prompt_queue.ts";

const NONE = new AbortController().signal;
const until = (signal: AbortSignal) =>
  new Promise<string>((resolve) =>
    signal.addEventListener("abort", () => resolve("stopped"), { once: true })
  );

Deno.test("prompts run one after the other, and a failed one does not stop the next", async () => {
  const queue = new PromptQueue("taken back");
  const log: string[] = [];
  const turn = (name: string) => async () => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
  const failing = queue.run(() => Promise.reject(new Error("broken")), NONE);
  const [a, b] = [queue.run(turn("a"), NONE), queue.run(turn("b"), NONE)];
  assert(!queue.idle);
  await assertRejects(() => failing, Error, "broken");
  assertEquals(await Promise.all([a, b]), ["a", "b"]);
  assertEquals(log, ["a begins", "a ends", "b begins", "b ends"]);
  await Promise.resolve();
  assert(queue.idle);
});

Deno.test("a cancel ends the one that runs, takes back those that wait, and spares those that come later", async () => {
  const queue = new PromptQueue("taken back");
  const running = queue.run(until, NONE);
  const waiting = queue.run(() => Promise.resolve("never"), NONE);
  await Promise.resolve(); // the first has begun
  queue.cancel();
  const later = queue.run(() => Promise.resolve("later"), NONE);
  assertEquals(await Promise.all([running, waiting, later]), ["stopped", "taken back", "later"]);
});

Deno.test("one prompt can be taken back alone while it waits", async () => {
  const queue = new PromptQueue("taken back");
  const [gate, own] = [Promise.withResolvers<string>(), new AbortController()];
  const running = queue.run(() => gate.promise, NONE);
  const waiting = queue.run(() => Promise.resolve("never"), own.signal);
  own.abort();
  assertEquals(await waiting, "taken back", "at once, not when its turn comes");
  gate.resolve("done");
  assertEquals(await running, "done");
});

Deno.test("a closed queue ends what runs and takes nothing more", async () => {
  const queue = new PromptQueue("taken back");
  const running = queue.run(until, NONE);
  await Promise.resolve();
  await queue.close();
  assertEquals(await running, "stopped");
  assertEquals(await queue.run(() => Promise.resolve("never"), NONE), "taken back");
  assert(!queue.idle);
});
