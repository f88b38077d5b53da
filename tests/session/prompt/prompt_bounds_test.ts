import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { PromptPart } from "../../../src/session/event.ts";
import { boundContexts, CONTEXT_CHARS, CONTEXTS_CHARS } from "../../../src/session/prompt/prompt_bounds.ts";

const context = (text: string, uri = "file:///w/a.ts"): PromptPart => ({ type: "context", uri, text });
const textOf = (part: PromptPart | undefined) => part && "text" in part ? part.text : "";
const numbered = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => `line ${i + from}\n`).join("");

Deno.test("what fits is not touched, and what the user wrote never is", () => {
  const parts: PromptPart[] = [
    { type: "text", text: "x".repeat(500_000) },
    context("y".repeat(CONTEXT_CHARS)),
  ];
  assertEquals(boundContexts(parts), parts);
});

Deno.test("of a long file whole lines of start and end stay, and the note says how to see the rest", () => {
  const whole = numbered(20_000);
  const bounded = textOf(boundContexts([context(whole)])[0]);
  assert(bounded.length < CONTEXT_CHARS + 300);
  const [, head, chars, total, from, to, offset, tail] =
    /^([^[]*)\n\[… (\d+) of (\d+) characters left out here \(lines (\d+)–(\d+)\): to see them, call read with path \/w\/a\.ts and offset (\d+) …\]\n([^[]*)$/
      .exec(bounded)!;
  assertEquals(`${head}\n`, numbered(Number(from) - 1));
  assertEquals(tail, numbered(20_000 - Number(to), Number(to) + 1));
  assertEquals([Number(chars), offset], [whole.length - head!.length - 1 - tail!.length, from]);
  assertEquals(Number(total), whole.length);
});

Deno.test("of a selection lines count from where it begins", () => {
  const bounded = textOf(boundContexts([context(numbered(20_000, 501), "file:///w/a.ts#L501:20500")])[0]);
  const from = Number(/\(lines (\d+)–/.exec(bounded)?.[1]);
  assertStringIncludes(bounded, `line ${from - 1}\n[…`);
  assertStringIncludes(bounded, `offset ${from} …`);
});

Deno.test("of what is no file it is only said how much is left out", () => {
  const bounded = textOf(boundContexts([context(numbered(20_000), "zed:///agent/diagnostics")])[0]);
  assert(/\n\[… \d+ of \d+ characters left out here …\]\n/.test(bounded));
});

Deno.test("all embedded texts of a prompt share a bound; of those behind it only a note is left", () => {
  const parts = Array.from({ length: 7 }, (_, i) => context(numbered(20_000), `file:///w/${i}.ts`));
  const sizes = boundContexts(parts).map((part) => textOf(part).length);
  assert(sizes.reduce((a, b) => a + b) < CONTEXTS_CHARS + 7 * 300);
  assertEquals(sizes.map((size) => size > 1000), [true, true, true, true, false, false, false]);
  assertStringIncludes(
    textOf(boundContexts(parts)[6]),
    "(lines 1–20000): to see them, call read with path /w/6.ts and offset 1 ",
  );
});

Deno.test("whatever the text is, what stays is its start and its end, no character is halved, and nothing is counted wrongly", () => {
  const piece = fc.constantFrom(
    "x".repeat(40_000),
    "\u{1F980}".repeat(30_001),
    "\n".repeat(50_000),
    "a\n".repeat(9000),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
      const whole = pieces.join("");
      const bounded = textOf(boundContexts([context(whole, "x:y")])[0]);
      if (whole.length <= CONTEXT_CHARS) return assertEquals(bounded, whole);
      const [note, chars] = /\n\[… (\d+) of \d+ characters left out here …\]\n/.exec(bounded)!;
      const [head, tail] = bounded.split(note) as [string, string];
      assert(whole.startsWith(head) && whole.endsWith(tail) && bounded.isWellFormed());
      const left = whole.length - head.length - tail.length;
      assert(
        left === Number(chars) || left === Number(chars) + 1,
        "but for the line break in front of the note",
      );
    }),
    { numRuns: 50 },
  );
});
