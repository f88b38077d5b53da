import type { ConfinementReport } from "../sandbox/report.ts";
import type { SearchRequest, SearchResult } from "./search/search.ts";

/** One command for bash. */
export interface CommandRequest {
  readonly command: string;
  /** Absolute path of an existing directory. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Bytes of its output that are streamed; `LIVE_LIMIT` by default. */
  readonly liveLimit?: number;
}

/** How the process ended: the number it exited with, or the signal that killed it (`SIGKILL`, …). */
export type CommandExit = { readonly code: number } | { readonly signal: string };

/** Why the executor ended a command before it ended by itself; the first cause wins. */
export type StopCause =
  | "timeout"
  | "cancelled"
  | "output-limit"
  | "process-limit"
  | "memory-limit"
  | "disk-limit";

/** What became of a command. */
export interface CommandResult {
  readonly exit: CommandExit;
  readonly stopped: StopCause | undefined;
  /** Bytes that the command wrote, stdout and stderr together. */
  readonly totalBytes: number;
  /** Bytes between what was streamed and `tail` that are only in the spill file. */
  readonly omittedBytes: number;
  /** The end of the output that was not streamed any more (empty when `omittedBytes` is 0). */
  readonly tail: string;
  /** Absolute path of a file with the whole output (up to its bound), where the output was long. */
  readonly spillPath: string | undefined;
  /** Processes that the command left behind and that were ended. */
  readonly strays: number;
  /**
   * Protected paths that the command had planted or changed and that were taken back, one line for people each;
   * absent when there were none.
   */
  readonly restored?: readonly string[];
  /** Wall time in milliseconds. */
  readonly durationMs: number;
}

/** A regular file's bytes. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes; more than `bytes.length` when the read was cut at `maxBytes`. */
  readonly size: number;
  /** Changes whenever the file is replaced or written. */
  readonly version: string;
  /** By its mode nobody may write it; `writeFile` would all the same, since it replaces the file. */
  readonly readOnly?: boolean;
}

/** What stands at a path. */
export interface FileStat {
  readonly kind: "file" | "directory" | "other" | "missing";
  readonly size: number;
  readonly version: string;
}

/** What one name in a directory stands for; a `link` is not followed. */
export type EntryKind = "file" | "directory" | "link" | "other";

/** What a directory holds. */
export interface Listing {
  /** Sorted by name, at most `MAX_LISTED`. */
  readonly entries: readonly { readonly name: string; readonly kind: EntryKind }[];
  /** How many entries are not in the list. */
  readonly more: number;
}

/** Where a path leads, and what the executor's policy allows there. */
export interface ResolvedPath {
  /** Absolute, every symlink followed, also where nothing stands yet. */
  readonly path: string;
  readonly readable: boolean;
  /** False for protected places too; `writeFile` may still let harmless changes of those pass. */
  readonly writable: boolean;
}

/** Why a file operation was refused or failed; the message names the path and the cause. */
export type FileFault =
  | "not-found"
  | "is-directory"
  | "not-directory"
  | "not-regular"
  | "denied"
  | "exists"
  | "changed"
  | "too-large"
  /** ripgrep cannot make sense of what it was to look for. */
  | "bad-pattern"
  | "failed";

/** A failed file operation of an {@linkcode Executor}. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly fault: FileFault;
  constructor(fault: FileFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * A running executor: the confined process that runs a session's commands and file operations.
 *
 * Contract: every promise settles, also when the executor dies (commands then end with
 * `{signal: "SIGKILL"}` after all that they left behind was killed; file operations reject with an
 * `AgentError("sandbox")`). Its answers are checked; a forged or broken message ends this executor, never
 * the agent. It is never widened.
 */
export interface Executor {
  readonly report: ConfinementReport;
  /** True once it can take no more requests. */
  readonly closed: boolean;

  /**
   * Runs one command. `onOutput` gets its output in arrival order, as text whose split UTF-8 is rejoined,
   * up to its `liveLimit` bytes, or all of it when no more than a `TAIL_LIMIT` follows; else the end is in the
   * result. No text is longer as JSON than 56 KiB. Aborting `signal` kills the whole
   * process tree and resolves with `stopped: "cancelled"`. Rejects with `AgentError("sandbox")` only when
   * the command could not be started (cause and mend in the message).
   */
  run(request: CommandRequest, onOutput: (text: string) => void, signal: AbortSignal): Promise<CommandResult>;

  /** Reads a regular file, at most `maxBytes` from its start. Never blocks on FIFOs and devices. */
  readFile(path: string, maxBytes: number): Promise<FileContent>;

  /** The same from byte `from` on; no bytes at or behind the end. */
  readRange(path: string, from: number, maxBytes: number): Promise<FileContent>;

  /**
   * Replaces a file atomically, keeping its mode and owner, or creates it and the directories above it.
   * With `ifVersion` the file must still have that version, `"missing"` meaning that it must not exist;
   * else the fault is `changed` or `exists`. A symlink is followed; its target is what is replaced; other hard
   * links of it keep the old content.
   */
  writeFile(path: string, bytes: Uint8Array, ifVersion?: string): Promise<{ version: string }>;

  /**
   * Removes a regular file. With `ifVersion` it must still have that version, else the fault is `changed`. Of a
   * symlink the target is what is removed.
   */
  remove(path: string, ifVersion?: string): Promise<void>;

  stat(path: string): Promise<FileStat>;

  /** The names in a directory, without those below. */
  list(path: string): Promise<Listing>;

  /**
   * Searches files by ripgrep, confined as a command is. Rejects with a {@linkcode FileError} for a place that
   * cannot be searched and for a pattern that ripgrep refuses, with `AgentError("sandbox")` (cause and mend) where
   * there is no ripgrep. Aborting `signal` kills it and resolves with `stopped: "cancelled"`.
   */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;

  /** Follows a path's symlinks. Opens nothing. Throws {@linkcode FileError} for those that cannot be followed. */
  resolve(path: string): Promise<ResolvedPath>;

  /**
   * Does work that changes files of the workspace without this executor, while its protected places are looked
   * after as they are for `writeFile`: what was planted there is taken back, and the fault is `denied`. Absent
   * where nothing is looked after.
   */
  watched?<T>(work: () => Promise<T>): Promise<T>;

  /**
   * True when what it was started with no longer fits the files (a protected place came or went, the workspace is
   * another directory): once idle it is better replaced. Cheap.
   */
  outdated?(): boolean;

  /**
   * Absent, or without a result: all of this command is confined as the report says. Else what is not; `run` then
   * rejects it, and only the executor in the result, which is for an approved command, runs it.
   */
  beyond?(command: string, cwd: string): Promise<Beyond | undefined>;

  /** Kills all it runs, ends the process. Resolves when it is gone. Never rejects. */
  close(): Promise<void>;
}

/** What an executor does not confine of a command. */
export interface Beyond {
  /** For the user, as the end of a sentence. */
  readonly reason: string;
  /** Runs just that command; the same executor otherwise. */
  readonly executor: Executor;
}

/** Bytes of a command's output that are streamed while it runs; a rest of up to `TAIL_LIMIT` follows at the end. */
export const LIVE_LIMIT: number = 256 * 1024;
/** Bytes of the end of a long output that the result carries. */
export const TAIL_LIMIT: number = 16 * 1024;
/** Entries of a directory that are listed; the rest is counted. */
export const MAX_LISTED: number = 1000;
