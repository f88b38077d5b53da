import { isWithin } from "../../sandbox/paths.ts";

/** Most entries that one answer carries. */
export const MAX_ENTRIES = 1000;
/** Characters of a line's text in an answer; of a longer line the part around its match is kept. */
export const MAX_LINE_TEXT = 500;
/** Characters of all texts and names in an answer; see {@linkcode weightOf}. */
export const MAX_PAGE_TEXT: number = 64 * 1024;
/** Characters of the longest path: four times what Linux takes (4096 bytes). */
export const MAX_PATH: number = 16 * 1024;
/** What may stand around the text of a cut line. */
const MAX_MARKS = 80;

/** What is to be searched; the executor makes ripgrep's arguments of it, so that no text becomes a flag. */
export interface SearchRequest {
  /** Absolute; a directory with all below it, or one file. Ignore files hold; `.git` is left out. */
  readonly path: string;
  /** Source of a regular expression: only files whose path below `path` it matches count. */
  readonly matching?: string;
  /** Absent: files by their names alone, those that were changed last first. */
  readonly text?: TextSearch;
  /** Entries before those that are wanted. */
  readonly skip: number;
  /** Entries that are wanted, at most {@linkcode MAX_ENTRIES}. */
  readonly limit: number;
  readonly timeoutMs: number;
}

/** What is looked for in files; entries come in the order of paths and lines. */
export interface TextSearch {
  /** In ripgrep's syntax. */
  readonly pattern: string;
  /** Lines that match, with those around them; files that hold a match; or these with the number of matches. */
  readonly give: "lines" | "files" | "counts";
  readonly before: number;
  readonly after: number;
  readonly ignoreCase: boolean;
  /** The pattern is no regular expression. */
  readonly fixed: boolean;
  /** Matches may span lines, and `.` matches the end of a line. */
  readonly multiline: boolean;
  /** One of ripgrep's file types. */
  readonly type?: string;
  /** A glob for the last part of paths; it only makes the search faster. */
  readonly names?: string;
  /** A glob, in ripgrep's sense, of what is left out. */
  readonly without?: string;
}

/** A file or a line that was found. */
export interface SearchEntry {
  /** Below the searched path. Bytes that are no UTF-8 are replaced. */
  readonly path: string;
  /** 1-based; absent for files, and for a line that was too long to be read. */
  readonly line?: number;
  readonly text?: string;
  /** Set: it stands beside a line that matches. */
  readonly context?: true;
  readonly count?: number;
}

/** One page of what was found. */
export interface SearchResult {
  readonly entries: readonly SearchEntry[];
  /** All entries that were found, on other pages too. */
  readonly total: number;
  /** Set: the search was ended before it had seen everything. */
  readonly stopped?: "timeout" | "cancelled" | "limit";
  /** Some of what lies there may not be read. */
  readonly unreadable: boolean;
}

/** Characters that an entry takes behind another one: a file's name is told once. */
export function weightOf({ path, text = "" }: SearchEntry, before: SearchEntry | undefined): number {
  return text.length + (before?.path === path ? 0 : path.length);
}

/** Why a result cannot be the answer to a request; undefined when it can. The grammar of the wire was checked. */
export function faultIn(request: SearchRequest, { entries, total }: SearchResult): string | undefined {
  const { path, skip, limit, text } = request;
  if (entries.length > limit || entries.length > Math.max(0, total - skip)) {
    return "the executor found more than it was asked for";
  }
  if (entries.some((e) => !isWithin(e.path, path) || /\/\.\.?(\/|$)/.test(e.path.slice(path.length)))) {
    return "the executor found something outside of the searched place";
  }
  const size = entries.reduce((sum, e, i) => sum + weightOf(e, entries[i - 1]), 0);
  const tooLong = entries.some((e) => (e.text?.length ?? 0) > MAX_LINE_TEXT + MAX_MARKS);
  if (tooLong || (size > MAX_PAGE_TEXT && entries.length > 1)) {
    return "the executor sent more text than was asked for";
  }
  const give = text?.give ?? "files";
  const fits = entries.every((e) =>
    (e.text !== undefined) === (give === "lines") && (e.count !== undefined) === (give === "counts") &&
    (give === "lines" || (e.line === undefined && e.context === undefined))
  );
  return fits ? undefined : "the executor answered a search by another kind of result";
}
