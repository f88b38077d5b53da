import type { LayerName } from "../sandbox/report.ts";
import {
  type CommandResult,
  type FileContent,
  type FileFault,
  type FileStat,
  type Listing,
  MAX_LISTED,
  type StopCause,
} from "./executor_handle.ts";
import { MAX_ENTRIES, MAX_PATH, type SearchRequest, type SearchResult } from "./search/search.ts";

/** What the agent tells an executor: one JSON object a line. The executor trusts it. */
export type ToExecutor =
  | { op: "init"; env: Record<string, string>; marker: string }
  | { op: "run"; id: number; command: string; cwd: string; timeoutMs: number; liveLimit?: number }
  | { op: "cancel"; id: number }
  | { op: "read"; id: number; path: string; from?: number; maxBytes: number }
  | { op: "write"; id: number; path: string; base64: string; ifVersion?: string; tempName: string }
  | { op: "remove"; id: number; path: string; ifVersion?: string }
  | { op: "stat" | "resolve"; id: number; path: string }
  | ({ op: "search"; id: number } & SearchRequest)
  | { op: "list"; id: number; path: string }
  | { op: "exit" };

/** What an executor tells the agent, one JSON object a line: untrusted, see {@linkcode parseFromExecutor}. */
export type FromExecutor =
  | { ev: "ready"; layers: LayerName[]; missing: string[] }
  | { ev: "fatal"; message: string }
  | { ev: "output"; id: number; text: string }
  | { ev: "ended"; id: number; result: CommandResult }
  /** The command could not be started. */
  | { ev: "unstarted"; id: number; message: string }
  | { ev: "content"; id: number; base64: string; size: number; version: string; readOnly?: boolean }
  | { ev: "written"; id: number; version: string }
  | { ev: "removed"; id: number }
  | { ev: "stat"; id: number; stat: FileStat }
  | { ev: "found"; id: number; result: SearchResult }
  | { ev: "listing"; id: number; listing: Listing }
  | { ev: "resolved"; id: number; path: string }
  | { ev: "fault"; id: number; fault: FileFault; message: string };

/** The environment variable of commands that tells whose they are: the executor's marker, a dot, the call's id. */
export const MARKER_VARIABLE = "DSH_COMMAND";

/** Bytes of the largest file that is read or written whole. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Bytes of the longest line: such a file as Base64, and what stands around it. */
export const MAX_LINE_BYTES = Math.ceil(MAX_FILE_BYTES / 3) * 4 + 64 * 1024;
/** Characters of the longest text in a message that is no file. */
export const MAX_TEXT = 64 * 1024;

/** Thrown for a line that is no message of {@linkcode FromExecutor}. */
export class WireError extends Error {
  override readonly name = "WireError";
}

type Check = (value: unknown) => boolean;

const text: Check = (v) => typeof v === "string" && v.length <= MAX_TEXT;
/** Absolute, without `.`, `..` and empty parts. */
const cleanPath: Check = (v) => text(v) && (v === "/" || /^(\/(?!\.{0,2}(\/|$))[^\0/]+)+$/.test(v as string));
const base64: Check = (v) => typeof v === "string" && v.length <= MAX_LINE_BYTES;
const count: Check = (v) => Number.isSafeInteger(v) && (v as number) >= 0;
const flag: Check = (v) => typeof v === "boolean";
const duration: Check = (v) => typeof v === "number" && Number.isFinite(v) && v >= 0;
const oneOf = (...values: string[]): Check => (v) => typeof v === "string" && values.includes(v);
const optional = (check: Check): Check => (v) => v === undefined || check(v);
const list = (check: Check, max = 64): Check => (v) => Array.isArray(v) && v.length <= max && v.every(check);
const record = (fields: Readonly<Record<string, Check>>): Check => (v) =>
  isObject(v) && Object.keys(v).every((key) => Object.hasOwn(fields, key)) &&
  Object.entries(fields).every(([key, check]) => check(v[key]));
const either = (...checks: Check[]): Check => (v) => checks.some((check) => check(v));

const LAYERS = ["deno", "env-scrub", "landlock", "seccomp", "capabilities", "bubblewrap", "seatbelt"];
const FAULTS = [
  ...["not-found", "is-directory", "not-directory", "not-regular", "denied"],
  ...["exists", "changed", "too-large", "bad-pattern", "failed"],
];

const STOP_CAUSES: readonly StopCause[] = [
  ...["timeout", "cancelled", "output-limit"] as const,
  ...["process-limit", "memory-limit", "disk-limit"] as const,
];

const exit = either(
  record({ code: (v) => count(v) && (v as number) <= 255 }),
  record({ signal: (v) => typeof v === "string" && /^SIG[A-Z0-9+-]{1,12}$/.test(v) }),
);

const result = record({
  exit,
  stopped: optional(oneOf(...STOP_CAUSES)),
  totalBytes: count,
  omittedBytes: count,
  tail: text,
  spillPath: optional(text),
  strays: count,
  durationMs: duration,
});

const stat = record({
  kind: oneOf("file", "directory", "other", "missing"),
  size: count,
  version: text,
});

const found = record({
  entries: list(
    record({
      path: (v) => typeof v === "string" && v.length <= MAX_PATH,
      line: optional((v) => count(v) && (v as number) > 0),
      text: optional(text),
      context: optional((v) => v === true),
      count: optional(count),
    }),
    MAX_ENTRIES,
  ),
  total: count,
  stopped: optional(oneOf("timeout", "cancelled", "limit")),
  unreadable: (v) => typeof v === "boolean",
});

const fileName: Check = (v) => text(v) && v !== "" && !/[/\0]/.test(v as string);

const listing = record({
  entries: list(record({ name: fileName, kind: oneOf("file", "directory", "link", "other") }), MAX_LISTED),
  more: count,
});

/** The whole grammar of what an executor may say. */
const MESSAGES: Readonly<Record<string, Check>> = {
  ready: record({ ev: text, layers: list(oneOf(...LAYERS)), missing: list(text) }),
  fatal: record({ ev: text, message: text }),
  output: record({ ev: text, id: count, text }),
  ended: record({ ev: text, id: count, result }),
  unstarted: record({ ev: text, id: count, message: text }),
  content: record({ ev: text, id: count, base64, size: count, version: text, readOnly: optional(flag) }),
  written: record({ ev: text, id: count, version: text }),
  removed: record({ ev: text, id: count }),
  stat: record({ ev: text, id: count, stat }),
  found: record({ ev: text, id: count, result: found }),
  listing: record({ ev: text, id: count, listing }),
  resolved: record({ ev: text, id: count, path: cleanPath }),
  fault: record({ ev: text, id: count, fault: oneOf(...FAULTS), message: text }),
};

/** Reads one line of an executor. Throws {@linkcode WireError} for anything that is not exactly a message. */
export function parseFromExecutor(line: string): FromExecutor {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new WireError("the executor sent a line that is no JSON");
  }
  const kind = isObject(value) && typeof value.ev === "string" ? value.ev : "";
  if (!Object.hasOwn(MESSAGES, kind) || !MESSAGES[kind]!(value)) {
    throw new WireError(`the executor sent a malformed message${kind && ` (${kind.slice(0, 20)})`}`);
  }
  return value as FromExecutor;
}

/** Reads the bytes of a `content` message. Throws {@linkcode WireError}. */
export function contentOf(message: FromExecutor & { ev: "content" }): FileContent {
  try {
    const bytes = Uint8Array.fromBase64(message.base64);
    const { size, version, readOnly } = message;
    return { bytes, size, version, ...(readOnly === undefined ? {} : { readOnly }) };
  } catch {
    throw new WireError("the executor sent a file that is no Base64");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
