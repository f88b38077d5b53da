import { z } from "zod";
import { readCommandLine } from "../../permission/command_line.ts";
import type { CommandLine } from "../../permission/simple_command.ts";
import { isHarmlessLine } from "../../permission/harmless.ts";
import { READERS } from "../../permission/harmless_table.ts";
import { isOperand, type OptionSpec, type OptionsRead, readOptions } from "../../permission/option_spec.ts";
import type { ShellWord } from "../../permission/shell_word.ts";
import { baseName } from "../../permission/wrappers.ts";
import { absolutePath } from "../file/path.ts";

/** A file or directory that a command names, and the 1-based line where it begins to read. */
type Named = { readonly path: string; readonly line?: number };

/** What a command does that only reads or searches, for its card; the paths are absolute. */
export type Reading = { readonly kind: "read" | "search"; readonly locations: readonly Named[] };

/** {@linkcode Reading} as it is logged; another version may have logged another shape. */
export const readingSchema: z.ZodType<Reading> = z.object({
  kind: z.enum(["read", "search"]),
  locations: z.array(z.object({ path: z.string(), line: z.int().min(1).exactOptional() })),
});

/** What one program's arguments name; undefined where they are more than plain reading. */
type Reader = (words: readonly ShellWord[]) => readonly Named[] | undefined;

const GREP = READERS.grep!;
const RG = READERS.rg!;

/** `fd` is not among the harmless programs: this is only what its card says. -x, -X and -l run programs. */
const FD: OptionSpec = {
  flags: "HIusigFaLp01q",
  valued: "dEteSoj",
  long:
    `hidden no-ignore unrestricted case-sensitive ignore-case glob fixed-strings absolute-path follow full-path
    print0 quiet max-depth= min-depth= exact-depth= exclude= type= extension= size= owner= changed-within=
    changed-before= max-results= threads= color= no-ignore-vcs`,
};

const KINDS: Readonly<Record<string, { kind: Reading["kind"]; names: Reader }>> = {
  cat: { kind: "read", names: (words) => files(readOptions(words, READERS.cat!)) },
  nl: { kind: "read", names: (words) => files(readOptions(words, READERS.nl!)) },
  head: { kind: "read", names: (words) => files(readOptions(words, READERS.head!)) },
  tail: { kind: "read", names: tailNames },
  sed: { kind: "read", names: sedNames },
  grep: { kind: "search", names: grepNames },
  egrep: { kind: "search", names: grepNames },
  fgrep: { kind: "search", names: grepNames },
  rg: { kind: "search", names: rgNames },
  ls: { kind: "search", names: (words) => operands(readOptions(words, READERS.ls!)) },
  tree: { kind: "search", names: (words) => operands(readOptions(words, READERS.tree!)) },
  find: { kind: "search", names: findNames },
  fd: { kind: "search", names: fdNames },
  fdfind: { kind: "search", names: fdNames },
  // Pathspecs are patterns of git's own.
  git: { kind: "search", names: (words) => words[0]?.text === "grep" ? [] : undefined },
};

/** Harmless by its arguments, though not in the table of harmless programs. */
const JUDGED_HERE = new Set(["fd", "fdfind"]);

/** A command that may turn out to be one of them; all others are not even read. */
const CANDIDATE = new RegExp(
  `^\\s*(?:(?:/usr)?/bin/)?(?:${Object.keys(KINDS).join("|")})(?=\\s|$)`,
);

/**
 * Tells a plain reading or searching command, run in `cwd`, from all others. Plain is: one program on one line,
 * whose words are certain; no pipe, no file to write to or to take input from, no variable, no glob. It is only
 * about how the command is shown, so what is not certain is none. Never rejects.
 */
export async function readingOf(command: string, cwd: string): Promise<Reading | undefined> {
  const text = command.trim();
  if (!CANDIDATE.test(text) || text.includes("\n")) return undefined;
  const words = plainWords(await readCommandLine(text));
  const program = words && baseName(words[0]?.text ?? "");
  if (!words || !program || !Object.hasOwn(KINDS, program)) return undefined;
  const { kind, names } = KINDS[program]!;
  const named = names(words.slice(1));
  if (!named || named.some(({ path }) => path === "" || stepsBack(path))) return undefined;
  const locations = named.slice(0, MAX_LOCATIONS).map((one) => ({
    ...one,
    path: absolutePath(one.path, { cwd }),
  }));
  return { kind, locations };
}

/** Places of one command that are logged. */
const MAX_LOCATIONS = 50;

/** The words of a line that is one plain harmless command; undefined for any other. */
function plainWords(line: CommandLine): readonly ShellWord[] | undefined {
  const [command, ...more] = line.commands;
  if (line.unreadable !== undefined || !command || more.length > 0 || command.wraps) return undefined;
  if (command.places.length > 0 || command.assignments.length > 0) return undefined;
  if (command.redirections.some((r) => r.kind !== "quiet")) return undefined;
  const { words } = command;
  if (words.some((w) => w.text === undefined || w.splits)) return undefined;
  // `! cat f` and `time cat f` are one command too.
  if (!line.text.startsWith(words[0]!.source)) return undefined;
  const judged = JUDGED_HERE.has(baseName(words[0]!.text!));
  return judged || isHarmlessLine(line, { atRoot: true, inside: true }) ? words : undefined;
}

/** Behind a name `..` need not lead back to where the text says: the name may be a symlink. */
function stepsBack(path: string): boolean {
  return /(?:^|\/)(?!\.{1,2}\/)[^/]+\/+(?:\.\/+)*\.\.(?:\/|$)/.test(path);
}

/** The operands as paths; undefined where one is the standard input or help is asked for. */
function operands(read: OptionsRead | undefined, from = 0): { path: string }[] | undefined {
  if (!read || read.options.some(({ name }) => name === "--help" || name === "--version")) return undefined;
  const paths = read.operands.slice(from).map((word) => word.text!);
  return paths.includes("-") ? undefined : paths.map((path) => ({ path }));
}

/** Like {@linkcode operands}, for programs that read their input where no file is named. */
function files(read: OptionsRead | undefined, from = 0): { path: string }[] | undefined {
  const found = operands(read, from);
  return found && found.length > 0 ? found : undefined;
}

function tailNames(words: readonly ShellWord[]): ReturnType<Reader> {
  const read = readOptions(words, READERS.tail!);
  const follows = read?.options.some(({ name }) => /^(-f|-F|--follow|--retry)$/.test(name));
  return follows ? undefined : files(read);
}

const SED: OptionSpec = { flags: "nErsuz", valued: "e", long: "quiet silent regexp-extended expression=" };
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\]|\\.)*/)`;
/** `10,20p`, `/a/,/b/p`, `10,20p;20q`. */
const PRINTS = new RegExp(String.raw`^\s*(?:${ADDRESS}(?:\s*,\s*${ADDRESS})?)?\s*p\s*(?:;\s*\d+\s*q\s*)?$`);

/** No file has more; clients read numbers of 32 bits. */
const MAX_LINE = 2 ** 31 - 1;

/** Only `sed -n` with scripts that print lines as they are. */
function sedNames(words: readonly ShellWord[]): ReturnType<Reader> {
  const read = readOptions(words, SED);
  const quiet = read?.options.some(({ name }) => /^(-n|--quiet|--silent)$/.test(name));
  if (!read || !quiet) return undefined;
  const given = read.options.filter(({ name }) => name === "-e" || name === "--expression");
  const scripts = given.length > 0 ? given.map(({ value }) => value) : read.operands.slice(0, 1);
  if (!scripts.every((script) => PRINTS.test(script?.text ?? ""))) return undefined;
  const line = Number(/^\s*(\d+)/.exec(scripts[0]?.text ?? "")?.[1] ?? 0);
  const isLine = line > 0 && line <= MAX_LINE;
  return files(read, given.length > 0 ? 0 : 1)?.map(({ path }) => isLine ? { path, line } : { path });
}

function grepNames(words: readonly ShellWord[]): ReturnType<Reader> {
  const read = readOptions(words, GREP);
  if (!read || (!hasPattern(read) && read.operands.length === 0)) return undefined;
  const recursive = read.options.some(({ name }) =>
    /^(-r|-R|--recursive|--dereference-recursive)$/.test(name)
  );
  const from = hasPattern(read) ? 0 : 1;
  return recursive ? operands(read, from) : files(read, from);
}

function rgNames(words: readonly ShellWord[]): ReturnType<Reader> {
  const read = readOptions(words, RG);
  if (!read) return undefined;
  const needsNone = hasPattern(read) || read.options.some(({ name }) => name === "--files");
  return needsNone || read.operands.length > 0 ? operands(read, needsNone ? 0 : 1) : undefined;
}

function hasPattern({ options }: OptionsRead): boolean {
  return options.some(({ name }) => /^(-e|-f|--regexp|--file)$/.test(name));
}

/** The starting points: all in front of the first test. */
function findNames(words: readonly ShellWord[]): ReturnType<Reader> {
  const first = words.findIndex((w) => !/^-[HLP]$/.test(w.text!));
  const rest = first < 0 ? [] : words.slice(first);
  const end = rest.findIndex((w) => !isOperand(w) || /^[!(),]$/.test(w.text!));
  return rest.slice(0, end < 0 ? rest.length : end).map((w) => ({ path: w.text! }));
}

function fdNames(words: readonly ShellWord[]): ReturnType<Reader> {
  return operands(readOptions(words, FD), 1);
}
