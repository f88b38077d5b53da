import { assertEquals, assertThrows } from "@std/assert";
import { DeltaBuffer } from "../../src/session/delta_buffer.ts";

/** A clock that stands still: no time passes between two pieces, however slow the machine is. */
const STILL = () => 0;

Deno.test("the first piece goes out at once, what follows goes together", () => {
  const out: string[] = [];
  const buffer = new DeltaBuffer((key, text) => out.push(`${key}:${text}`), 16, STILL);
  buffer.push("a", "1");
  assertEquals(out, ["a:1"]);
  for (const text of ["2", "3", "4"]) buffer.push("a", text);
  buffer.flush();
  assertEquals(out.join(""), "a:1a:234");
});

Deno.test("another stream's piece sends what waits first: order is kept", () => {
  const out: string[] = [];
  const buffer = new DeltaBuffer((key, text) => out.push(`${key}:${text}`), 16, STILL);
  for (const [key, text] of [["a", "1"], ["a", "2"], ["b", "3"], ["a", "4"]] as const) buffer.push(key, text);
  buffer.flush();
  assertEquals(out, ["a:1", "a:2", "b:3", "a:4"]);
});

Deno.test("the timer sends what waits, and its receiver's error is thrown at the next push", async () => {
  let calls = 0;
  const buffer = new DeltaBuffer(() => {
    if (++calls === 2) throw new Error("disk full");
  });
  buffer.push("a", "1");
  buffer.push("a", "2");
  while (calls < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assertThrows(() => buffer.push("a", "3"), Error, "disk full");
  buffer.stop();
});

Deno.test("stop() drops what waits and its timer", () => {
  const out: string[] = [];
  const buffer = new DeltaBuffer((_, text) => out.push(text), 16, STILL);
  buffer.push("a", "1");
  buffer.push("a", "2");
  buffer.stop();
  assertEquals(out, ["1"]);
});
