import { assertEquals } from "@std/assert";
import { plainLine } from "../../src/tool/plain_line.ts";

const LINES: [string, string][] = [
  ["Use snake_case in my_file.ts?", "Use snake_case in my_file.ts?"],
  ["The __tests__ folder", "The \\_\\_tests\\_\\_ folder"],
  ["Delete **/*.js?", "Delete \\*\\*/\\*.js?"],
  ["`a*b` or ``c`d``?", "`a*b` or ``c`d``?"],
  ["one ` alone", "one \\` alone"],
  ["![x](http://x/y) <b>", "!\\[x\\](http://x/y) \\<b>"],
  ["# Heading", "\\# Heading"],
  ["- item", "\\- item"],
  ["> quote", "\\> quote"],
  ["1. item", "1\\. item"],
  ["#12 or 3.5?", "#12 or 3.5?"],
  ["a\\b &lt; AT&T", "a\\\\b \\&lt; AT&T"],
  ["two\n  lines", "two lines"],
  ["café データ 🦀", "café データ 🦀"],
];

Deno.test("a text is shown word for word, but for code", () => {
  for (const [text, shown] of LINES) assertEquals(plainLine(text, 200), shown);
});

Deno.test("what is cut in the middle of code leaves no open code behind", () => {
  assertEquals(plainLine("Run `abcdef` now", 8), "Run \\`ab…");
});
