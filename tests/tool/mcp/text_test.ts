import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { cut, plainLineOf, plainText, resultText, shortHash } from "../../../src/tool/mcp/text.ts";

Deno.test("plainText() leaves what people see", () => {
  assertEquals(plainText(" a\u0000b\u001b[31m\u202e c\u{e0041}\u200b\nd\te ", 100), "ab[31m c\nd\te");
  assertEquals(plainLineOf("a\n\n b\u202e", 100), "a b");
  assertEquals(plainLineOf("x".repeat(20), 10), "x".repeat(9) + "…");
});

Deno.test("resultText() keeps joiners, which emoji need, and no control characters", () => {
  assertEquals(resultText("👩‍💻\u0007\n", 100), "👩‍💻\n");
});

Deno.test("cut() keeps both ends, says how much is between them, and halves no character", () => {
  assertEquals(cut("short", 10), "short");
  const shown = cut("😀".repeat(1_000), 101);
  assertMatch(shown, /^(😀)+\n\[… \d+ characters left out …\]\n(😀)+$/);
  assert(shown.isWellFormed());
});

Deno.test("shortHash() is the same over versions", () => {
  assertEquals(shortHash("read"), "leehtx");
  assertNotEquals(shortHash("read"), shortHash("reed"));
});
