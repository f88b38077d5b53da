import type { CommandLine, SimpleCommand } from "./simple_command.ts";

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
