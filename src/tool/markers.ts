import type { CommandExit, CommandResult, StopCause } from "../bash/executor_handle.ts";

/** The facts of a command that its card needs, as logged. */
export type CommandFacts = {
  readonly exit: { readonly code: number } | { readonly signal: string };
  readonly stopped: StopCause | null;
  readonly durationMs: number;
};

/** Bytes from the start and the end of a long output that the model reads; the middle is in the spill file. */
export const MODEL_HEAD: number = 48 * 1024;
export const MODEL_TAIL: number = 16 * 1024;

/**
 * What the model reads of a command: its output within the bounds, then marker lines, last the exit (nothing
 * for 0). People's cards never parse these: the facts are logged beside them.
 */
export function modelText(live: string, result: CommandResult, timeoutMs: number): string {
  const { head, tail, omitted } = headAndTail(live, result);
  const cut = omitted > 0 || result.omittedBytes > 0;
  const lines = [
    cut ? `${head}\n${truncationMarker(omitted, result.spillPath)}\n${tail}` : head,
    result.strays > 0
      ? `[${result.strays} background process${result.strays === 1 ? "" : "es"} stopped]`
      : "",
    stopMarker(result.stopped, timeoutMs),
    exitMarker(result.exit),
  ];
  const text = lines.filter((l) => l !== "").map((l) => l.endsWith("\n") ? l.slice(0, -1) : l).join("\n");
  return text === "" ? "[no output]" : text;
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

function stopMarker(stopped: StopCause | undefined, timeoutMs: number): string {
  switch (stopped) {
    case "timeout":
      return `[timed out after ${timeoutMs}ms]`;
    case "cancelled":
      return "[cancelled by the user]";
    case "output-limit":
      return "[stopped: too much output]";
    case undefined:
      return "";
  }
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
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "").replace(/^[\uDC00-\uDFFF]/, "");
}
