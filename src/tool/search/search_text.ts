import { z } from "zod";
import { FileError } from "../../bash/executor_handle.ts";
import type { SearchEntry, SearchResult } from "../../bash/search/search.ts";
import type { Json, Outcome, Place } from "../tool.ts";
import { fence, type Location, type ResultView } from "../view.ts";

/** A text that can be an argument of a program. */
export const argument = z.string().min(1).refine((text) => !text.includes("\0"), "holds a NUL character");

/** Milliseconds that a search may take. */
export const SEARCH_MS = 20_000;
/** First matches that a card links to. */
const MAX_PLACES = 20;
/** Characters of what a card shows. */
const MAX_SHOWN = 8 * 1024;

/** What a card shows of a search; plain text for people. */
export type SearchFacts = {
  readonly shown: string;
  readonly note: string;
  readonly places: readonly { readonly path: string; readonly line?: number }[];
};

/** Which part of what was found was asked for, and what to call it. */
export interface Page {
  readonly skip: number;
  /** One entry, such as `file`. */
  readonly unit: string;
}

/** The outcome of a search: lines below the name of their file, files one a line. */
export function searchOutcome(result: SearchResult, page: Page, place: Place): Outcome {
  const { entries, total } = result;
  if (entries.length === 0 && total > 0) {
    const note = `There are only ${total}: offset ${page.skip} is past the end.`;
    return { text: note, isError: false, facts: { shown: "", note, places: [] } };
  }
  const lines = rendered(entries, place);
  const notes = entries.length === 0 ? [nothing(result), ...limits(result)] : notesOf(result, page);
  const facts: SearchFacts = {
    shown: shortened(lines),
    note: peopleNote(result, page),
    places: placesOf(entries),
  };
  return { text: [...lines, ...notes].join("\n"), isError: false, facts: facts as unknown as Json };
}

/** A pattern that ripgrep refuses is the model's to mend; all else is thrown on. */
export function badPattern(thrown: unknown, hint: (words: string) => string): Outcome {
  if (!(thrown instanceof FileError) || thrown.fault !== "bad-pattern") throw thrown;
  // ripgrep goes on about its own flags, which nobody has here.
  const words = thrown.message.split("\n\nConsider")[0]!.trim();
  const told = [words, hint(words)].filter((text) => text !== "").join("\n");
  return { text: told, isError: true, facts: { problem: words } };
}

/** The card of a search that has ended. */
export function presentSearch(outcome: Outcome & { facts?: SearchFacts }): ResultView {
  if (!outcome.facts) return { blocks: [{ type: "text", text: outcome.text }] };
  const { shown, note, places } = outcome.facts;
  const text = shown === "" ? note : `${note}\n\n${fence(shown)}`;
  return { blocks: [{ type: "text", text }], locations: places as readonly Location[] };
}

/** A path as it is told: relative inside the workspace, and never more than one line. */
export function toldPath(path: string, { cwd }: Place): string {
  const told = path === cwd ? "." : path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  // deno-lint-ignore no-control-regex -- such a name would look like several lines, or like none
  return /[\x00-\x1f\x7f]/.test(told) ? JSON.stringify(told) : told;
}

function rendered(entries: readonly SearchEntry[], place: Place): string[] {
  const hasContext = entries.some((entry) => entry.context);
  return entries.flatMap((entry, i) => {
    const before = entries[i - 1];
    const { path, line, text, context, count } = entry;
    if (text === undefined) return [toldPath(path, place) + (count === undefined ? "" : `: ${count}`)];
    const told = `${line ?? "?"}${context ? "-" : ":"}${text}`;
    if (before?.path !== path) return [...(before ? [""] : []), toldPath(path, place), told];
    return line !== undefined && before.line !== undefined && line > before.line + 1 && hasContext
      ? ["--", told]
      : [told];
  });
}

function nothing({ stopped }: SearchResult): string {
  if (stopped !== undefined) return "Nothing found so far.";
  return "No matches. What .gitignore and the like leave out was not searched.";
}

function notesOf(result: SearchResult, { skip, unit }: Page): string[] {
  const next = skip + result.entries.length;
  const more = result.total - next;
  const atLeast = result.stopped ? "at least " : "";
  return [
    ...(more > 0 ? [`[${atLeast}${counted(more, `more ${unit}`)}: use offset=${next}]`] : []),
    ...limits(result),
  ];
}

function limits({ stopped, total, unreadable }: SearchResult): string[] {
  return [
    ...(stopped === "timeout" ? [`[stopped after ${SEARCH_MS / 1000} s: narrow the search]`] : []),
    ...(stopped === "limit" ? [`[stopped after ${total}: narrow the search]`] : []),
    ...(unreadable ? ["[some of it may not be read]"] : []),
  ];
}

function peopleNote({ entries, total, stopped }: SearchResult, { unit }: Page): string {
  if (entries.length === 0) return stopped ? "Stopped before anything was found." : "No matches.";
  const all = total > entries.length ? ` of ${total}${stopped ? " or more" : ""}` : "";
  const files = new Set(entries.map((entry) => entry.path)).size;
  const inFiles = entries[0]!.text === undefined ? "" : ` in ${counted(files, "file")}`;
  return `${all ? `${entries.length}${all} ${unit}s` : counted(total, unit)}${inFiles}.`;
}

function counted(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}

function placesOf(entries: readonly SearchEntry[]): SearchFacts["places"] {
  return entries.filter((entry) => !entry.context).slice(0, MAX_PLACES)
    .map(({ path, line }) => line === undefined ? { path } : { path, line });
}

function shortened(lines: readonly string[]): string {
  let size = 0;
  const kept = lines.filter((line) => (size += line.length + 1) <= MAX_SHOWN);
  const left = lines.length - kept.length;
  return kept.join("\n") + (left > 0 ? `\n… ${counted(left, "more line")} …` : "");
}
