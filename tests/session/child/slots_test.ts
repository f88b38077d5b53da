import { assertEquals, assertRejects } from "@std/assert";
import { Slots } from "../../../src/session/child/slots.ts";

const IDLE = new AbortController().signal;

Deno.test("slots: so many run at once, the rest in the order they came", async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const works = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const runs = works.map(({ promise }, i) =>
    slots.run(() => {
      begun.push(i);
      return promise;
    }, IDLE)
  );
  await Promise.resolve();
  assertEquals(begun, [0, 1]);
  works[1]!.reject(new Error("fails"));
  await assertRejects(() => runs[1]!, Error, "fails");
  assertEquals(begun, [0, 1, 2]);
  works.forEach((w) => w.resolve());
  await Promise.allSettled(runs);
  assertEquals(begun, [0, 1, 2, 3]);
});

Deno.test("slots: what waits is not begun once it is aborted, and takes no slot with it", async () => {
  const slots = new Slots(1);
  const first = Promise.withResolvers<void>();
  const running = slots.run(() => first.promise, IDLE);
  const stop = new AbortController();
  const waiting = slots.run(() => Promise.resolve("begun"), stop.signal);
  stop.abort();
  first.resolve();
  await running;
  await assertRejects(() => waiting, DOMException);
  assertEquals(await slots.run(() => Promise.resolve("next"), IDLE), "next");
});
