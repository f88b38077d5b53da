import { alike, pairsOf } from "./likeness.ts";
import { numbered } from "./line_window.ts";

/** A text that is looked for, and what is to stand in its place. */
interface Wanted {
  readonly old_string: string;
  readonly new_string: string;
}

/** Lines of the file that a hint shows. */
const MAX_SHOWN = 8;
/** Characters of such a line. */
const MAX_CHARS = 200;
/** Characters of the largest file whose lines are compared for likeness, which costs more than looking for them. */
const MAX_COMPARED = 1024 * 1024;
/** Share of letter pairs that two lines must have in common to be called alike. */
const ALIKE = 0.5;

const READ_AGAIN = "Read the file again and copy the text exactly.";

/** Ways in which a copied text often differs, from the most exact: folded by one, both texts may be the same. */
const FOLDS: readonly (readonly [fold: (line: string) => string, reason: string])[] = [
  [(l) => l.replace(/\s+$/, ""), "Spaces at the ends of lines differ."],
  [
    (l) => l.replace(/^[ \t]+/, (w) => w.replaceAll("\t", "    ")),
    "Tabs and spaces in the indentation differ.",
  ],
  [(l) => l.replace(/\s+/g, " ").trim(), "Only white space differs, such as the indentation."],
  [plainTypography, "Quotes, dashes or other special characters differ."],
  [(l) => plainTypography(l).toLowerCase(), "Upper and lower case differ."],
];

/** Why a text is not in a file, as far as it can be told, with the lines that were probably meant. Pure. */
export function missHint(text: string, { old_string, new_string }: Wanted): string {
  const lines = linesOf(text);
  const bare = old_string.replace(/^ *\d+\t/gm, "");
  if (bare !== old_string && text.includes(bare)) {
    return `Leave out the line numbers and tabs that read puts in front of lines.`;
  }
  const unescaped = old_string.replace(/\\n/g, "\n").replace(/\\t/g, "\t").replace(/\\(["'\\])/g, "$1");
  if (unescaped !== old_string && text.includes(unescaped)) {
    return "It is escaped once too often: write line breaks, tabs and quotes as they are, not with a backslash.";
  }
  const shorter = old_string.replace(/[\r\n]+$/, "");
  if (shorter !== old_string && shorter !== "" && text.endsWith(shorter)) {
    return "The file does not end in that line break: leave it out of old_string.";
  }
  const wanted = linesOf(old_string);
  for (const [fold, reason] of FOLDS) {
    const at = find(lines.map(fold), wanted.map(fold));
    if (at !== undefined) return `${reason} The file has:\n${show(lines, at, wanted.length)}`;
  }
  const there = new_string.length > MAX_SHOWN ? find(lines, linesOf(new_string)) : undefined;
  if (there !== undefined) {
    return `new_string is there already (line ${there + 1}): was this edit made before?`;
  }
  const near = text.length <= MAX_COMPARED ? nearest(lines, wanted) : undefined;
  return near === undefined
    ? READ_AGAIN
    : `${READ_AGAIN} The nearest lines are:\n${show(lines, near, wanted.length)}`;
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
}

function plainTypography(line: string): string {
  return line.normalize("NFKC").replace(/[\u2018\u2019\u201a\u2032]/g, "'").replace(
    /[\u201c\u201d\u201e\u2033]/g,
    '"',
  )
    .replace(/[\u2010-\u2015\u2212]/g, "-").replace(/[\u200b-\u200d\ufeff]/g, "").replace(/\s+/g, " ").trim();
}

/** The line where the wanted lines begin; the first may stand at a line's end, the last at a line's start. */
function find(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const last = wanted.length - 1;
  const fits = (line: string, i: number) => {
    const want = wanted[i]!;
    if (last === 0) return line.includes(want);
    return i === 0 ? line.endsWith(want) : i === last ? line.startsWith(want) : line === want;
  };
  if (wanted.every((line) => line === "")) return undefined;
  for (let at = 0; at + last < lines.length; at++) {
    if (wanted.every((_, i) => fits(lines[at + i]!, i))) return at;
  }
  return undefined;
}

/** Where the longest of the wanted lines has its likest, if any is like it. */
function nearest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce(
    (best, line, i) => line.trim().length > wanted[best]!.trim().length ? i : best,
    0,
  );
  const pairs = pairsOf(wanted[longest]!);
  if (pairs.size === 0) return undefined;
  let [best, likeness] = [-1, ALIKE];
  lines.forEach((line, i) => {
    if (line.length > 4 * MAX_CHARS) return;
    const found = alike(pairs, pairsOf(line));
    if (found > likeness) [best, likeness] = [i, found];
  });
  return best < 0 ? undefined : Math.max(0, best - longest);
}

function show(lines: readonly string[], at: number, count: number): string {
  return lines.slice(at, at + Math.min(count, MAX_SHOWN)).map((line, i) =>
    numbered(line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line, at + i + 1)
  ).join("\n");
}
