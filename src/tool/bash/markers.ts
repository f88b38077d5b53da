import type { CommandExit, CommandResult } from "../../bash/executor_handle.ts";
import type { JobStop } from "../../bash/jobs.ts";
import { withoutAnsi } from "../ansi.ts";

/** The facts of a command that its card needs, as logged. */
export type CommandFacts = {
  readonly exit: CommandExit;
  readonly stopped: JobStop | null;
  readonly durationMs: number;
};

/** Bytes from the start and the end of a long output that the model reads; the middle is in the spill file. */
export const MODEL_HEAD: number = 48 * 1024;
export const MODEL_TAIL: number = 16 * 1024;

/** What the markers tell beside the command's own account. */
export interface MarkerNotes {
  readonly timeoutMs: number;
  /** A line for the model on why the command may have failed; see `confinementHint`. */
  readonly hint?: string | undefined;
}

/**
 * What the model reads of a command: its output within the bounds, then marker lines, last the exit (nothing
 * for 0). People's cards never parse these: the facts are logged beside them.
 */
export function modelText(live: string, result: CommandResult, notes: MarkerNotes): string {
  const { head, tail, omitted } = headAndTail(live, result);
  const cut = omitted > 0 || result.omittedBytes > 0;
  const text = joinLines([
    ...cutOutput(head, cut ? omitted : 0, tail, result.spillPath),
    ...accountMarkers(result),
    stopMarker(result.stopped, notes.timeoutMs),
    notes.hint ?? "",
    exitMarker(result.exit),
  ]);
  return text === "" ? "[no output]" : text;
}

/** Lines one below the other, the empty ones left out. */
export function joinLines(lines: readonly string[]): string {
  return lines.filter((l) => l !== "").map((l) => l.endsWith("\n") ? l.slice(0, -1) : l).join("\n");
}

/** An output for the model, with, if `omitted`, a marker in place of its middle. */
export function cutOutput(
  head: string,
  omitted: number,
  tail: string,
  spillPath: string | undefined,
): string[] {
  const parts = omitted > 0 || tail !== "" ? [head, truncationMarker(omitted, spillPath), tail] : [head];
  return parts.map(withoutAnsi);
}

/** What happened beside the output: processes that were stopped, protected files that were put back. */
export function accountMarkers(result: CommandResult): string[] {
  const { strays } = result;
  return [
    strays > 0
      ? `[${strays} background process${strays === 1 ? "" : "es"} stopped; \`background\` keeps one running]`
      : "",
    ...restoredMarker(result.restored ?? []),
  ];
}

function restoredMarker(restored: readonly string[]): string[] {
  if (restored.length === 0) return [];
  return [`[protected files were put back as they were: ${listed(restored)}]`];
}

/** The first of a list, and how many more there are. */
export function listed(paths: readonly string[], most = 5): string {
  const more = paths.length - most;
  return paths.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** `[exit code: N]`, `[killed by signal: S]`, or nothing for exit 0. */
export function exitMarker(exit: CommandExit): string {
  if ("signal" in exit) return `[killed by signal: ${exit.signal}]`;
  return exit.code === 0 ? "" : `[exit code: ${exit.code}]`;
}

/** The exit that {@linkcode exitMarker} wrote at the end of a text: its exact inverse, for the test of both. */
export function parseExitMarker(text: string): CommandExit {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const signal = /^\[killed by signal: (\w+)\]$/.exec(last)?.[1];
  if (signal) return { signal };
  return { code: Number(/^\[exit code: (\d+)\]$/.exec(last)?.[1] ?? 0) };
}

/** Causes of stopping in words; one that is not here goes by its name. */
const STOP_WORDS: Partial<Readonly<Record<JobStop, string>>> = {
  "output-limit": "too much output",
  "process-limit": "too many processes",
  "memory-limit": "too much memory",
  "disk-limit": "too much written to disk",
};

/** The line that tells the model why a command was stopped. */
export function stopMarker(stopped: JobStop | null | undefined, timeoutMs: number): string {
  if (!stopped) return "";
  if (stopped === "timeout") return `[timed out after ${timeoutMs}ms]`;
  if (stopped === "cancelled") return "[cancelled by the user]";
  return stopped === "killed" ? "[ended by job_kill]" : `[stopped: ${stopWords(stopped)}]`;
}

/** The same for people, as a sentence. */
export function stopNote(stopped: JobStop): string {
  if (stopped === "timeout") return "Timed out.";
  if (stopped === "cancelled") return "Cancelled.";
  return stopped === "killed" ? "Ended." : `Stopped: ${stopWords(stopped)}.`;
}

function stopWords(stopped: JobStop): string {
  return STOP_WORDS[stopped] ?? stopped.replaceAll("-", " ");
}

function truncationMarker(omitted: number, spillPath: string | undefined): string {
  const where = spillPath ? `; the whole output is in ${spillPath}` : "";
  return `[output truncated: ${omitted} bytes left out here${where}]`;
}

/** Cuts what was streamed and the tail behind it to the model's bounds. */
function headAndTail(live: string, result: CommandResult): { head: string; tail: string; omitted: number } {
  const all = result.omittedBytes > 0 ? live : live + result.tail;
  if (result.omittedBytes === 0 && all.length <= MODEL_HEAD + MODEL_TAIL) {
    return { head: all, tail: "", omitted: 0 };
  }
  const head = wholeCharacters(all.slice(0, MODEL_HEAD));
  const end = result.omittedBytes > 0 ? result.tail : all;
  const tail = wholeCharacters(end.slice(-MODEL_TAIL));
  const encoder = new TextEncoder();
  const shown = encoder.encode(head).length + encoder.encode(tail).length;
  return { head, tail, omitted: Math.max(0, result.totalBytes - shown) };
}

/** Drops half a surrogate pair at either end. */
export function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "").replace(/^[\uDC00-\uDFFF]/, "");
}
