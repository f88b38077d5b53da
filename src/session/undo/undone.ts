import type { ChangedTurn } from "./changed_files.ts";

/** What became of one file. */
export type FileOutcome =
  /** It holds again what it held before the turn, or is gone again. */
  | {
    readonly path: string;
    readonly back: "restored" | "removed";
    /** It was so already: the change was never made, or somebody else took it back. */
    readonly unchanged?: true;
  }
  | { readonly path: string; readonly left: string };

/** What came of taking back a turn's file changes. */
export interface Undone {
  readonly turn: ChangedTurn;
  /** Without those that somebody else took back, or that were never made since the write failed. */
  readonly files: readonly FileOutcome[];
}
