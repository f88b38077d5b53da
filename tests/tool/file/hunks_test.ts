import { assert, assertEquals } from "@std/assert";
import { boundedChange, changeLocations, diffBlocks, hunksOf } from "../../../src/tool/file/hunks.ts";

/** Applies hunks in order, as a client that trusts the cards would. */
function apply(before: string, after: string): string {
  let text = before;
  let from = 0;
  for (const hunk of hunksOf(before, after)) {
    const at = hunk.oldText === "" ? from : text.indexOf(hunk.oldText, from);
    assert(at >= 0, `hunk not found: ${JSON.stringify(hunk.oldText)}`);
    text = text.slice(0, at) + hunk.newText + text.slice(at + hunk.oldText.length);
    from = at + hunk.newText.length;
  }
  return text;
}

const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`);

Deno.test("hunksOf() gives the changed lines with three lines of context, not the file", () => {
  const after = lines(100).with(49, "changed\n").join("");
  const hunks = hunksOf(lines(100).join(""), after);
  assertEquals(hunks.length, 1);
  assertEquals(hunks[0]!.oldText, lines(100).slice(46, 53).join(""));
  assertEquals(hunks[0]!.line, 50);
});

Deno.test("hunksOf() gives one hunk for each distant change", () => {
  const before = lines(100);
  const hunks = hunksOf(before.join(""), before.with(9, "x\n").with(79, "y\n").join(""));
  assertEquals(hunks.map((h) => h.line), [10, 80]);
});

Deno.test("hunks applied in order turn the old text into the new one", () => {
  const cases: [string, string][] = [
    ["a\nb\nc\n", "a\nB\nc\n"],
    ["a\nb", "a\nb\n"],
    ["a\nb\n", "a\nb"],
    ["", "new\n"],
    ["old\n", ""],
    ["a\r\nb\r\n", "a\r\nB\r\n"],
    ["\uFEFFa\n", "\uFEFFb\n"],
    [lines(30).join(""), ["first\n", ...lines(30).toSpliced(15, 1), "last\n"].join("")],
  ];
  for (const [before, after] of cases) assertEquals(apply(before, after), after);
});

Deno.test("a seeded series of random edits survives the round trip", () => {
  let seed = 42;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 200; round++) {
    const before = Array.from({ length: random(40) }, () => `${"abc"[random(3)]}${random(5)}\n`);
    const after = [...before];
    for (let i = random(6); i > 0; i--) {
      after.splice(random(after.length + 1), random(3), `new ${random(9)}\n`);
    }
    assertEquals(apply(before.join(""), after.join("")), after.join(""));
  }
});

Deno.test("a new file's diff has no old text, and its card a location", () => {
  const change = { path: "/w/n", created: true, hunks: [{ oldText: "", newText: "x\n", line: 1 }] };
  assertEquals(diffBlocks(change), [{ type: "diff", path: "/w/n", newText: "x\n" }]);
  assertEquals(changeLocations(change), [{ path: "/w/n", line: 1 }]);
});

Deno.test("boundedChange() keeps what fits, counts the rest, and says so on the card", () => {
  const hunk = { oldText: "a\n".repeat(10_000), newText: "b\n".repeat(10_000), line: 1 };
  const small = boundedChange("/w/f", false, [hunk]);
  assertEquals(small, { path: "/w/f", created: false, hunks: [hunk] });
  const many = boundedChange("/w/f", false, Array(50).fill(hunk));
  assertEquals([many.hunks.length, many.omitted], [3, 47]);
  assertEquals(diffBlocks(many).at(-1), { type: "text", text: "… 47 more changes left out …" });
});

Deno.test("boundedChange() cuts a hunk that alone is too long at the end of a line", () => {
  const content = "line\n".repeat(100_000);
  const [kept] = boundedChange("/w/f", true, [{ oldText: "", newText: content, line: 1 }]).hunks;
  assertEquals(/^(line\n)+… \d+ more characters left out …\n$/.test(kept!.newText), true);
  assert(kept!.newText.length < 70_000);
});
