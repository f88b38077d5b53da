import type { CommandLine, SimpleCommand } from "./simple_command.ts";
import type { Ground } from "./ground.ts";
import { isHarmlessFind } from "./harmless_find.ts";
import { isHarmlessGit } from "./harmless_git.ts";
import { SPECIAL } from "./harmless_special.ts";
import { READERS } from "./harmless_table.ts";
import { readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";
import { variableKind } from "./variables.ts";
import { baseName } from "./wrappers.ts";

/**
 * True if every command of the line only reads or prints: none writes a file, changes a state that outlives the
 * line, or starts a program that is not itself harmless. Whether it may read what it reads is the sandbox's
 * business.
 */
export function isHarmlessLine(line: CommandLine, ground: Ground): boolean {
  return line.unreadable === undefined &&
    line.commands.every((command) => isHarmless(command, ground));
}

/** {@linkcode isHarmlessLine} for one command of a line that is not `unreadable`. */
export function isHarmless(command: SimpleCommand, ground: Ground): boolean {
  if (!hasQuietSurroundings(command)) return false;
  if (command.redirections.some((r) => r.kind === "write")) return false;
  const kinds = command.assignments.map((a) => variableKind(a.name, a.value));
  if (command.words.length === 0) return kinds.every((kind) => kind === "own");
  if (!kinds.every((kind) => kind === "plain")) return false;
  return command.wraps ? isHarmlessWrapping(command, ground) : isHarmlessCall(command.words, ground);
}

/**
 * A function has a name that hides a program's; what runs in the background is left over when the line ends.
 * Both ask.
 */
function hasQuietSurroundings(command: SimpleCommand): boolean {
  return !command.places.some((place) =>
    place === "background" || place === "function" || place === "coproc"
  );
}

function isHarmlessWrapping(command: SimpleCommand, ground: Ground): boolean {
  return passesThrough(command) &&
    command.wraps!.commands.every((inner) => isHarmless(inner, ground) || isBareEnv(inner, command));
}

/** True for a wrapper that adds nothing of its own: whether it may run is up to what it runs. */
export function passesThrough(command: SimpleCommand): boolean {
  if (!command.wraps?.transparent || !isPlainProgram(command.words[0])) return false;
  if (command.redirections.some((r) => r.kind === "write")) return false;
  if (!command.assignments.every((a) => variableKind(a.name, a.value) === "plain")) return false;
  return programOf(command.words) !== "find" || isHarmlessFind(command.words.slice(1));
}

/** `env A=1` without a command prints. */
function isBareEnv(inner: SimpleCommand, wrapper: SimpleCommand): boolean {
  return programOf(wrapper.words) === "env" && inner.words.length === 0 &&
    inner.assignments.every((a) => variableKind(a.name, a.value) === "plain");
}

function isHarmlessCall(words: readonly ShellWord[], ground: Ground): boolean {
  if (!isPlainProgram(words[0])) return false;
  const program = programOf(words);
  const rest = words.slice(1);
  if (program === "git") return ground.atRoot && isHarmlessGit(rest);
  if (Object.hasOwn(SPECIAL, program)) return SPECIAL[program]!(rest);
  if (!Object.hasOwn(READERS, program)) return false;
  const reader = READERS[program]!;
  const read = readOptions(rest, reader, { trustUnknown: reader.free === true });
  if (!read) return false;
  if (reader.operands === undefined) return true;
  return read.operands.length <= reader.operands && !read.operands.some((w) => w.splits);
}

/** A bare name, or a name in the system's own directories: `./ls` may be anything. */
function isPlainProgram(word: ShellWord | undefined): boolean {
  return /^((\/usr)?\/bin\/)?[^/]+$/.test(word?.text ?? "");
}

function programOf(words: readonly ShellWord[]): string {
  return baseName(words[0]?.text ?? "");
}
