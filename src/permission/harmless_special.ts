import { isOperand, readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";
import { isPrintingSed } from "./harmless_sed.ts";
import { isHarmlessFind } from "./harmless_find.ts";

/** Programs whose arguments need more than a table of options; each gets what follows the program's name. */
export const SPECIAL: Readonly<Record<string, (words: readonly ShellWord[]) => boolean>> = {
  find: isHarmlessFind,
  sed: isPrintingSed,
  date: isPrintingDate,
  // What is no option of `echo` is printed.
  echo: () => true,
  // Both were judged when the line was read: what is not certain there makes the whole line unreadable.
  test: () => true,
  "[": () => true,
  printf: (words) => words[0]?.text !== "-v",
  node: isVersion,
  deno: isVersion,
  python: isVersion,
  python3: isVersion,
  bash: isVersion,
  gcc: isVersion,
  make: isVersion,
};

/** An operand without `+` sets the clock, and so does `-s`. */
function isPrintingDate(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, {
    flags: "uR",
    valued: "drI",
    long: "utc universal date= reference= iso-8601? rfc-3339= rfc-email help version",
  });
  // GNU's -I takes its value attached or not at all: an operand behind it must pass for itself.
  return read !== undefined && read.operands.every((w) => w.start.startsWith("+")) &&
    !words.some((w) => w.text === "-I");
}

function isVersion(words: readonly ShellWord[]): boolean {
  const [only, ...more] = words;
  return more.length === 0 && only !== undefined && !isOperand(only) && only.text === "--version";
}
