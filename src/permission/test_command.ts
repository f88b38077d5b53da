import { isOwnName } from "./assignments.ts";
import type { ShellWord } from "./shell_word.ts";

const UNARY = /^-[a-hknoprstuwxzGLNOS]$/;
const BINARY = /^(=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * Why the arguments of `test` cannot be read, or undefined. `test -v 'a[$(id)]'` runs `id`: so a word that may
 * turn into `-v` must not stand where an operator can. Bash goes by the number of words, which must be certain,
 * and reads five words and more in ways that their values decide.
 */
export function testFault(words: readonly ShellWord[]): string | undefined {
  return isPlain(words) ? undefined : "what `test` tests is not certain";
}

function isPlain(words: readonly ShellWord[]): boolean {
  if (words.some((w) => w.splits)) return false;
  if (words.every((w) => w.text !== undefined)) {
    return words.every((w, i) => !/^-[vR]$/.test(w.text!) || isOwnName(words[i + 1]?.text));
  }
  const texts = words.map((w) => w.text);
  if (texts[0] === "!" && words.length > 1) return isPlain(words.slice(1));
  return isSide(words);
}

function isSide(words: readonly ShellWord[]): boolean {
  const texts = words.map((w) => w.text);
  switch (words.length) {
    case 0:
    case 1:
      return true;
    case 2:
      return UNARY.test(texts[0] ?? "");
    case 3:
      return BINARY.test(texts[1] ?? "");
    default:
      return false;
  }
}
