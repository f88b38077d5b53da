import { assertEquals, assertRejects } from "@std/assert";
import { readLines } from "../../src/bash/lines.ts";

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(new TextEncoder().encode(text));
}

Deno.test("readLines() joins what comes in pieces and splits what comes together", async () => {
  const lines = await Array.fromAsync(readLines(chunks("a", "b\nc\n", "\nd", "\n", "rest"), 10));
  assertEquals(lines, ["ab", "c", "", "d"]); // a line that never ended is none
});

Deno.test("readLines() refuses a line over the limit, whether it ends or not", async () => {
  await assertRejects(() => Array.fromAsync(readLines(chunks("12345", "678\n"), 7)), RangeError);
  await assertRejects(() => Array.fromAsync(readLines(chunks("12345", "678"), 7)), RangeError);
  assertEquals(await Array.fromAsync(readLines(chunks("1234567\n"), 7)), ["1234567"]);
});
