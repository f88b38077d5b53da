import { literalWord, type ShellWord } from "./shell_word.ts";

/** The options of a program that are known, in the way of `getopt`. All others are unknown, abbreviations too. */
export interface OptionSpec {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options that need a value, attached or as the next word. */
  readonly valued?: string;
  /** Names of long options, by spaces: `all` has no value, `color?` may have one (`=…`), `lines=` needs one. */
  readonly long?: string;
  /** `-5` is an option. */
  readonly number?: boolean;
}

/** A program's arguments, told apart. */
export interface OptionsRead {
  /** In order; a long option by its name with the dashes, a short one as `-x`. */
  readonly options: readonly { readonly name: string; readonly value?: ShellWord | undefined }[];
  readonly operands: readonly ShellWord[];
}

/** How {@linkcode readOptions} goes about it. */
export interface ReadingMode {
  /** The first operand ends the options: all after it belongs to another program. */
  readonly stopAtOperand?: boolean;
  /** Words that could turn out to be any option are taken for operands. */
  readonly trustUnknown?: boolean;
}

type LongKind = "none" | "optional" | "needed";
const longTables = new Map<string, ReadonlyMap<string, LongKind>>();

function longTable(names: string): ReadonlyMap<string, LongKind> {
  let table = longTables.get(names);
  if (!table) {
    const kinds: Record<string, LongKind> = { "?": "optional", "=": "needed" };
    const entries = names.split(/\s+/).filter(Boolean).map((name): [string, LongKind] => {
      const kind = kinds[name.at(-1)!];
      return kind ? [name.slice(0, -1), kind] : [name, "none"];
    });
    longTables.set(names, table = new Map(entries));
  }
  return table;
}

/** True for a word that is certainly no option, whatever it turns into. */
export function isOperand(word: ShellWord): boolean {
  if (word.text !== undefined) return word.text === "-" || !word.text.startsWith("-");
  return word.start !== "" && !word.start.startsWith("-");
}

/** A value that stands as its own word: nothing that would be an option if the option took no value after all. */
function isValue(word: ShellWord, mode: ReadingMode): boolean {
  if (word.splits) return false;
  if (word.text !== undefined && /^-\d+$/.test(word.text)) return true;
  return isOperand(word) || (mode.trustUnknown === true && word.text === undefined);
}

/** Reads arguments by a table of known options; undefined when one is unknown or a word may be one. */
export function readOptions(
  words: readonly ShellWord[],
  spec: OptionSpec,
  mode: ReadingMode = {},
): OptionsRead | undefined {
  const options: { name: string; value?: ShellWord | undefined }[] = [];
  const operands: ShellWord[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.text === "--") {
      operands.push(...words.slice(i + 1));
      break;
    }
    if (isOperand(word) || (word.text === undefined && mode.trustUnknown)) {
      if (mode.stopAtOperand) {
        operands.push(...words.slice(i));
        break;
      }
      operands.push(word);
      continue;
    }
    const read = readOption(word, words[i + 1], spec, mode);
    if (!read) return undefined;
    options.push(...read.options);
    if (read.tookNext) i++;
  }
  return { options, operands };
}

type Read = { options: { name: string; value?: ShellWord | undefined }[]; tookNext: boolean };

function readOption(
  word: ShellWord,
  next: ShellWord | undefined,
  spec: OptionSpec,
  mode: ReadingMode,
): Read | undefined {
  const long = /^(--[A-Za-z][\w-]*)(=)?/.exec(word.start);
  if (long && (long[2] || word.text !== undefined)) {
    const kind = longTable(spec.long ?? "").get(long[1]!.slice(2));
    const name = long[1]!;
    if (kind === undefined) return undefined;
    if (long[2]) {
      if (kind === "none" || word.splits) return undefined;
      return { options: [{ name, value: behind(word, long[0].length) }], tookNext: false };
    }
    if (kind !== "needed") return { options: [{ name }], tookNext: false };
    return next && isValue(next, mode) ? { options: [{ name, value: next }], tookNext: true } : undefined;
  }
  if (word.text === undefined) return undefined;
  if (spec.number && /^-\d+$/.test(word.text)) return { options: [{ name: "-N" }], tookNext: false };
  return readShort(word.text, next, spec, mode);
}

function readShort(
  text: string,
  next: ShellWord | undefined,
  spec: OptionSpec,
  mode: ReadingMode,
): Read | undefined {
  const options: { name: string; value?: ShellWord | undefined }[] = [];
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    const name = `-${letter}`;
    if (spec.valued?.includes(letter)) {
      if (i + 1 < text.length) {
        return { options: [...options, { name, value: literalWord(text.slice(i + 1)) }], tookNext: false };
      }
      if (!next || !isValue(next, mode)) return undefined;
      return { options: [...options, { name, value: next }], tookNext: true };
    }
    if (!spec.flags?.includes(letter)) return undefined;
    options.push({ name });
  }
  return { options, tookNext: false };
}

/** What a word holds behind its first characters. */
function behind(word: ShellWord, length: number): ShellWord {
  return { ...word, text: word.text?.slice(length), start: word.start.slice(length) };
}
