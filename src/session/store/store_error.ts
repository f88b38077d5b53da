import { AgentError, messageOf } from "../../errors.ts";

/**
 * What is wrong with a store, as far as it matters to what is done about it:
 * - `damaged`: its files are no database any more, or one that has lost pages;
 * - `unusable`: the place cannot be written by this process, now or later;
 * - `full`: no space is left, and there may be again;
 * - `newer`: a later version of this program wrote it;
 * - `other`: all else, such as a process that holds it for too long.
 */
export type StoreFault = "damaged" | "unusable" | "full" | "newer" | "other";

/** An `AgentError("store")` that tells its kind. */
export class StoreError extends AgentError {
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, cause?: unknown) {
    super("store", message, { cause });
    this.fault = fault;
  }
}

/** SQLite's own words: its error codes do not come through. */
const WORDS: readonly (readonly [StoreFault, RegExp])[] = [
  [
    "damaged",
    /^file is (encrypted or is )?not a database|^database disk image is malformed|^no such table: /i,
  ],
  ["full", /^database or disk is full/i],
  ["unusable", /^unable to open database file|^attempt to write a readonly database|^access permission/i],
];

/** What kind of fault something thrown by SQLite or the file system tells of. */
export function storeFaultOf(thrown: unknown): StoreFault {
  if (thrown instanceof StoreError) return thrown.fault;
  if (thrown instanceof Error && (thrown as { code?: unknown }).code === "ENOSPC") return "full";
  if (
    thrown instanceof Deno.errors.PermissionDenied || thrown instanceof Deno.errors.NotCapable ||
    thrown instanceof Deno.errors.NotADirectory || thrown instanceof Deno.errors.NotFound ||
    thrown instanceof Deno.errors.AlreadyExists || (thrown as { code?: unknown })?.code === "EROFS"
  ) return "unusable";
  const message = messageOf(thrown);
  return WORDS.find(([, words]) => words.test(message))?.[0] ?? "other";
}
