import { structuredPatch } from "diff";
import type { Block, Location } from "../view.ts";

/** One changed region with its context, as logged. */
export type Hunk = {
  readonly oldText: string;
  readonly newText: string;
  /** 1-based line of the first changed line in the new file. */
  readonly line: number;
};

/** What a changed file's card is drawn from. */
export type FileChange = {
  readonly path: string;
  readonly created: boolean;
  readonly hunks: readonly Hunk[];
  /** Hunks that are not here, since there were too many. */
  readonly omitted?: number;
};

/** Characters of the hunks of one change: they are logged, and a card shows still less. */
const MAX_KEPT = 128 * 1024;

/** Lines of unchanged text around a change. */
const CONTEXT_LINES = 3;
/** Past this time in milliseconds the diff is not worth waiting for, and the whole file is one hunk. */
const DIFF_TIMEOUT_MS = 1000;

/** The hunks that turn `before` into `after`; replacing them in order in `before` gives `after`. */
export function hunksOf(before: string, after: string): Hunk[] {
  if (before === after) return [];
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    timeout: DIFF_TIMEOUT_MS,
    stripTrailingCr: false,
  });
  if (!patch) return [{ oldText: before, newText: after, line: 1 }];
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  return patch.hunks.map((h) => ({
    // Cut from the real texts, not glued from the patch: a missing last newline stays missing.
    oldText: oldLines.slice(start(h.oldStart, h.oldLines), start(h.oldStart, h.oldLines) + h.oldLines).join(
      "",
    ),
    newText: newLines.slice(start(h.newStart, h.newLines), start(h.newStart, h.newLines) + h.newLines).join(
      "",
    ),
    line: h.newStart + Math.max(0, h.lines.findIndex((l) => /^[+-]/.test(l))),
  }));
}

/** A change with its hunks within bounds. Pure. */
export function boundedChange(path: string, created: boolean, hunks: readonly Hunk[]): FileChange {
  const kept: Hunk[] = [];
  let size = 0;
  for (const hunk of hunks) {
    size += hunk.oldText.length + hunk.newText.length;
    if (size > MAX_KEPT && kept.length > 0) break;
    const [oldText, newText] = [cut(hunk.oldText), cut(hunk.newText)];
    kept.push({ ...hunk, oldText, newText });
  }
  const omitted = hunks.length - kept.length;
  return { path, created, hunks: kept, ...(omitted > 0 ? { omitted } : {}) };
}

/** The start of a text, up to a line's end where there is one. */
function cut(text: string): string {
  if (text.length <= MAX_KEPT / 2) return text;
  const end = text.lastIndexOf("\n", MAX_KEPT / 2);
  const kept = text.slice(0, end > 0 ? end : MAX_KEPT / 2).toWellFormed();
  return `${kept}\n… ${text.length - kept.length} more characters left out …\n`;
}

/** A hunk of no lines is numbered by the line before it. */
function start(line: number, count: number): number {
  return count === 0 ? line : line - 1;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A change as diff blocks of a card. */
export function diffBlocks(change: FileChange): Block[] {
  const diffs = change.hunks.map((h): Block => ({
    type: "diff",
    path: change.path,
    ...(change.created ? {} : { oldText: h.oldText }),
    newText: h.newText,
  }));
  return change.omitted
    ? [...diffs, { type: "text", text: `… ${change.omitted} more changes left out …` }]
    : diffs;
}

/** Where the change is, for an editor that follows along. */
export function changeLocations(change: FileChange): Location[] {
  const lines = change.hunks.map((h) => ({ path: change.path, line: h.line }));
  return lines.length > 0 ? lines : [{ path: change.path }];
}
