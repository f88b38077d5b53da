import { assertEquals } from "@std/assert";
import { UNREAD_HEAD, UNREAD_TAIL, UnreadOutput } from "../../src/bash/unread.ts";

Deno.test("take() gives each output once", () => {
  const unread = new UnreadOutput();
  unread.push("a\n");
  unread.push("b\n");
  assertEquals(unread.take(), { head: "a\nb\n", omittedBytes: 0, tail: "" });
  assertEquals(unread.take(), { head: "", omittedBytes: 0, tail: "" });
  unread.push("c\n");
  assertEquals(unread.take().head, "c\n");
});

Deno.test("what fits into the bounds is whole, what does not loses its middle and is counted", () => {
  const unread = new UnreadOutput();
  unread.push("x".repeat(UNREAD_HEAD + UNREAD_TAIL));
  assertEquals(unread.take(), { head: "x".repeat(UNREAD_HEAD + UNREAD_TAIL), omittedBytes: 0, tail: "" });
  for (let i = 0; i < 1000; i++) unread.push(`${i}`.padStart(1023, "é") + "\n");
  const { head, omittedBytes, tail } = unread.take();
  const bytes = new TextEncoder().encode(head + tail).length + omittedBytes;
  assertEquals(head.length, UNREAD_HEAD);
  assertEquals(tail.length <= UNREAD_TAIL && tail.endsWith("999\n"), true);
  assertEquals(bytes, 10 * (1022 * 2 + 2) + 90 * (1021 * 2 + 3) + 900 * (1020 * 2 + 4));
});

Deno.test("bytes that are only in the spill file are counted where they are missing", () => {
  const unread = new UnreadOutput();
  unread.push("begin");
  unread.skip(1000);
  unread.push("end");
  assertEquals(unread.take(), { head: "begin", omittedBytes: 1000, tail: "end" });
});

Deno.test("no character is cut in two", () => {
  const unread = new UnreadOutput();
  unread.push("a" + "😀".repeat(UNREAD_HEAD));
  const { head, tail } = unread.take();
  assertEquals([head.isWellFormed(), tail.isWellFormed()], [true, true]);
});
