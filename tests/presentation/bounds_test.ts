import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { clip, clipValue, jsonBytes, splitText } from "../../src/presentation/bounds.ts";

const TEXTS = [
  "plain ".repeat(20_000),
  "\u0000".repeat(30_000),
  "é🙂".repeat(20_000),
  '\n"\\'.repeat(20_000),
];

Deno.test("splitText() gives pieces within the bound that join to the text, no character cut", () => {
  for (const text of TEXTS) {
    const pieces = splitText(text, 10_000);
    assertEquals(pieces.join(""), text);
    for (const piece of pieces) {
      assert(jsonBytes(piece) <= 10_050);
      assert(piece.isWellFormed());
    }
  }
});

Deno.test("clip() keeps both ends within the bound and counts what is left out", () => {
  for (const text of TEXTS) {
    const clipped = clip(text, 5_000);
    assert(jsonBytes(clipped) <= 5_000);
    assert(clipped.isWellFormed());
    const left = Number(/… (\d+) characters left out …/.exec(clipped)?.[1]);
    assertEquals(clipped.replace(/\n… \d+ characters left out …\n/, "").length + left, text.length);
  }
  assertEquals(clip("short", 5_000), "short");
});

Deno.test("clipValue() clips the long texts of a value and keeps its shape", () => {
  const clipped = clipValue(
    { path: "a", content: "x".repeat(100_000), n: 1, list: ["y".repeat(9000)] },
    8_000,
  );
  assert(jsonBytes(clipped) <= 8_000);
  assertEquals([clipped.path, clipped.n], ["a", 1]);
  assertStringIncludes(String(clipped.content), "left out");
});

Deno.test("clipValue() gives up on a value of too many parts, saying so", () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i]));
  assertStringIncludes(String(clipValue(many, 1_000).note), "left out");
});
