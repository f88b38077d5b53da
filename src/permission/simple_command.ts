import type { ShellWord } from "./shell_word.ts";

/** What stands around a command, from the outside in. */
export type Place =
  | "pipe"
  | "and-or"
  | "background"
  | "subshell"
  | "group"
  | "if"
  | "loop"
  | "case"
  | "function"
  | "coproc"
  | "$()"
  | "<()"
  | "shell -c";

/** A variable that is set. */
export interface Assignment {
  readonly name: string;
  /** Exact value; undefined when not certain, or an array. */
  readonly value: string | undefined;
  /** As written. */
  readonly source: string;
}

/** A redirection that can do harm or give a program its input; duplicated descriptors and the like are left out. */
export interface Redirection {
  /** As written. */
  readonly source: string;
  /**
   * `quiet`: to nowhere, or one descriptor to another. `input`: a file, text or process to read from.
   * `write`: all others.
   */
  readonly kind: "quiet" | "input" | "write";
}

/** One simple command as the line would run it. */
export interface SimpleCommand {
  /** As written. */
  readonly source: string;
  readonly assignments: readonly Assignment[];
  /** The program first, then its arguments; empty for a line that only sets variables or redirects. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly Redirection[];
  readonly places: readonly Place[];
  /** True: something beside it writes its standard input. */
  readonly fed: boolean;
  /** Set: it runs other commands (`env X=1 cmd`, `bash -c '…'`, `find -exec`). */
  readonly wraps?: Wrapping | undefined;
}

/** The commands that a command runs. */
export interface Wrapping {
  /** True: nothing of the wrapper's own matters (`timeout 5 cmd`); false: it changes much (`sudo cmd`). */
  readonly transparent: boolean;
  readonly commands: readonly SimpleCommand[];
}

/** What a judge needs to know of a command line. */
export interface CommandLine {
  readonly text: string;
  /**
   * Every simple command that it would run, substitutions and here-documents included; those that a wrapper
   * runs are inside the wrapper. Where `unreadable` is set these are the ones that could be read.
   */
  readonly commands: readonly SimpleCommand[];
  /** Set: what would run is not certain, and this is the first reason. Goes on from "cannot be judged: ". */
  readonly unreadable?: string | undefined;
}
