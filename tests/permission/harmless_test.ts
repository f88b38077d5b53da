import { assertEquals } from "@std/assert";
import { everyCommand, readCommandLine } from "../../src/permission/command_line.ts";
import { groundOf } from "../../src/permission/ground.ts";
import { isHarmlessLine } from "../../src/permission/harmless.ts";
import { HARMFUL, HARMLESS, UNREADABLE } from "./lines.ts";

async function harmless(text: string, cwd = "/w"): Promise<boolean> {
  const line = await readCommandLine(text);
  return isHarmlessLine(line, groundOf(line, cwd, "/w"));
}

async function wrong(lines: readonly string[], holds: (text: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const text of lines) if (!await holds(text)) found.push(text);
  return found;
}

Deno.test("isHarmlessLine() knows what only reads and prints", async () => {
  assertEquals(await wrong(HARMLESS, (text) => harmless(text)), []);
});

Deno.test("isHarmlessLine() refuses what does more than reading", async () => {
  assertEquals(await wrong(HARMFUL, async (text) => !await harmless(text)), []);
});

Deno.test("isHarmlessLine() refuses what cannot be read", async () => {
  assertEquals(await wrong(UNREADABLE, async (text) => !await harmless(text)), []);
});

Deno.test("readCommandLine() tells what can be read from what cannot", async () => {
  const readable = async (text: string) => (await readCommandLine(text)).unreadable === undefined;
  assertEquals(await wrong([...HARMLESS, ...HARMFUL], readable), []);
  assertEquals(await wrong(UNREADABLE, async (text) => !await readable(text)), []);
});

Deno.test("isHarmlessLine() takes git only at the top of the workspace", async () => {
  assertEquals(await harmless("git status", "/w/sub"), false);
  assertEquals(await harmless("cd /w && git status"), true);
  assertEquals(await harmless("cd /w/sub && git status"), false);
  assertEquals(await harmless("cd .. && git status", "/w"), false);
});

/** Ways to put a command into a line; each runs what it is given. */
const FRAMES: readonly ((command: string) => string)[] = [
  (c) => c,
  (c) => `ls; ${c}`,
  (c) => `${c} | cat`,
  (c) => `cat a | ${c}`,
  (c) => `true && ${c}`,
  (c) => `( ${c} )`,
  (c) => `{ ${c}; }`,
  (c) => `if true; then ${c}; fi`,
  (c) => `for f in a b; do ${c}; done`,
  (c) => `while ${c}; do break; done`,
  (c) => `case a in a) ${c} ;; esac`,
  (c) => `echo "$(${c})"`,
  (c) => `echo \${x:-$(${c})}`,
  (c) => `cat <(${c})`,
  (c) => `x=$(${c})`,
  (c) => `cat <<EOF\n$(${c})\nEOF`,
  (c) => `timeout 5 bash -c '${c}'`,
  (c) => `eval '${c}'`,
  (c) => `( ! ${c} )`,
  (c) => `( time ${c} )`,
];
const GOOD = ["ls -l", "cat a", "git status", "grep -n x a", "echo 1", "wc -l a"];
const BAD = [
  "rm x",
  "tee x",
  "./run",
  "npm test",
  "git push",
  "curl h",
  "sort -o x a",
  "ls > x",
  "find . -delete",
];

/** A small generator with a seed, so that a failure can be seen again. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

Deno.test("isHarmlessLine() finds one harmful command in any position of random lines", async () => {
  const pick = random(20261123);
  const wrap = (command: string): string => {
    let text = command;
    // Quotes and here-documents do not nest by mere joining: those frames only stand innermost.
    for (let depth = 0; depth < 1 + pick(3); depth++) {
      const frame = FRAMES[pick(depth === 0 ? FRAMES.length : 8)]!;
      if (!text.includes("EOF") && !(depth > 0 && text.includes("'"))) text = frame(text);
    }
    return text;
  };
  for (let i = 0; i < 800; i++) {
    const parts = Array.from({ length: 1 + pick(4) }, () => wrap(GOOD[pick(GOOD.length)]!));
    const good = parts.join("\n");
    assertEquals(await harmless(good), true, good);
    parts.splice(pick(parts.length + 1), 0, wrap(BAD[pick(BAD.length)]!));
    const bad = parts.join("\n");
    assertEquals(await harmless(bad), false, bad);
  }
});

Deno.test("readCommandLine() sees the commands inside others, and in which connection", async () => {
  const seen = async (text: string) => {
    const line = await readCommandLine(text);
    return [...everyCommand(line.commands)].map((c) =>
      `${c.places.join(">")}: ${c.words.map((w) => w.text ?? "?").join(" ")}`
    );
  };
  assertEquals(await seen("a | b && c &"), [
    "background>and-or>pipe: a",
    "background>and-or>pipe: b",
    "background>and-or: c",
  ]);
  assertEquals(await seen("sudo -u x env A=1 rm y"), [
    ": sudo -u x env A=1 rm y",
    ": env A=1 rm y",
    ": rm y",
  ]);
  assertEquals(await seen("timeout 5 bash -c 'a; b $(c)'"), [
    ": timeout 5 bash -c a; b $(c)",
    ": bash -c a; b $(c)",
    "shell -c: a",
    "shell -c>$(): c",
    "shell -c: b ?",
  ]);
  assertEquals((await seen("find . -exec rm {} \\; -exec cp -t x {} +")).slice(1), [": rm ?", ": cp -t x ?"]);
  assertEquals(await seen("f() { rm x; }"), ["function>group: rm x"]);
  assertEquals(await seen("a <(b) > >(c)"), ["<(): b", "<(): c", ": a ?"]);
  assertEquals(await seen("xargs -n 1 git add"), [": xargs -n 1 git add", ": git add ?"]);
});
