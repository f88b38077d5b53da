import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { LineWindow } from "../../../src/tool/file/line_window.ts";

function windowOf(pieces: readonly string[], first: number, limit: number): LineWindow {
  const window = new LineWindow(first, limit);
  for (const piece of pieces) window.push(piece);
  window.end();
  return window;
}

Deno.test("LineWindow picks the same lines however the text is cut", () => {
  const text = fc.array(fc.constantFrom("a", "\n", "\r\n", "\r", "", "🙂"), { maxLength: 40 }).map((p) =>
    p.join("")
  );
  fc.assert(fc.property(text, fc.nat(20), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (
    text,
    at,
    first,
    limit,
  ) => {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const window = windowOf([text.slice(0, at), text.slice(at)], first, limit);
    assertEquals(window.lines, lines.slice(first - 1, first - 1 + limit).map((l) => l.replace(/\r$/, "")));
    assertEquals(window.total, lines.length);
  }));
});

Deno.test("LineWindow cuts long lines with a mark, holds no more of them, and halves no character", () => {
  const { lines } = windowOf(["🙂".repeat(5000), "🙂".repeat(5000), "\nnext"], 1, 9);
  assertEquals(lines, [`${"🙂".repeat(1000)}… [18000 more characters in this line]`, "next"]);
  const odd = windowOf([`x${"🙂".repeat(5000)}`], 1, 9).lines[0]!;
  assert(odd.isWellFormed());
  assertEquals(windowOf(["y".repeat(2000) + "\r\n"], 1, 1).lines, ["y".repeat(2000)]);
});

Deno.test("LineWindow stops at its bound, and counts on", () => {
  const window = windowOf([`${"z".repeat(999)}\n`.repeat(500)], 1, 2000);
  assert(window.full);
  assertEquals([window.lines.length, window.total], [65, 500]);
});
