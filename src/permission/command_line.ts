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

/** Longer lines are not read: nobody could judge them either. */
const MAX_LENGTH = 65_536;

/** Characters that are not seen, or that shells and editors disagree about; tab and newline are fine. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u;
const BLANK_LOOKALIKE = /\p{Zs}/u;

/**
 * Reads a command line with bash's grammar. Never rejects for any text: what cannot be read is told as
 * `unreadable`. The grammar is loaded on first use.
 */
export async function readCommandLine(text: string): Promise<CommandLine> {
  const unreadable = textFault(text);
  if (unreadable !== undefined) return { text, commands: [], unreadable };
  const { readScriptText } = await import("./read_script.ts");
  return readScriptText(text);
}

/** All commands of a line, those inside wrappers behind their wrapper. */
export function* everyCommand(commands: readonly SimpleCommand[]): Generator<SimpleCommand> {
  for (const command of commands) {
    yield command;
    if (command.wraps) yield* everyCommand(command.wraps.commands);
  }
}

function textFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return "it is too long";
  if (!text.isWellFormed()) return "it holds broken characters";
  const plain = text.replace(/[\t\n\x20-\x7e]/g, "");
  return UNSEEN.test(plain) || BLANK_LOOKALIKE.test(plain)
    ? "it holds characters that cannot be seen or look like blanks"
    : undefined;
}
