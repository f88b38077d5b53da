import { readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";

const SPEC = {
  flags: "nErsuz",
  valued: "e",
  long: "quiet silent regexp-extended separate unbuffered null-data expression= sandbox help version",
};

/** True if `sed` only prints: no -i, no script from a file, no command that writes, reads a file or runs. */
export function isPrintingSed(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, SPEC);
  if (!read) return false;
  const given = read.options.filter((o) => o.name === "-e" || o.name === "--expression").map((o) => o.value);
  const scripts = given.length > 0 ? given : read.operands.slice(0, 1);
  return scripts.length > 0 && scripts.every((s) => s?.text !== undefined && isPrintingScript(s.text));
}

/**
 * Reads a script to its end by a small part of sed's grammar: addresses, then one of the commands
 * `p P d D q Q = l n N g G h H x`, or `s` with flags that print. Whatever does not fit is taken for harmful.
 */
export function isPrintingScript(script: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  while (at < script.length) {
    if (take(/[\s;]+/y)) continue;
    if (take(ADDRESS) && take(/\s*,\s*/y) && !take(/[+~]?\d+|\$|\/(?:[^/\\\n]|\\.)*\//y)) return false;
    take(/[\s!]*/y);
    if (take(/[qQ]\s*\d*|[pPdD=lnNgGhHx]/y) === undefined && !takeSubstitution(take)) return false;
    // Nothing but a separator may follow, or the next letter would be read as something else.
    if (take(/[ \t]*(?:[;\n]|$)/y) === undefined) return false;
  }
  return !/\[\^?\]?[^\]]*[/|#,:]/.test(script); // other seds let a bracket hide a delimiter
}

const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/I?)/y;

function takeSubstitution(take: (pattern: RegExp) => string | undefined): boolean {
  const opening = take(/s[/|#,:]/y);
  if (opening === undefined) return false;
  const mark = `\\${opening[1]}`;
  const part = `(?:[^${mark}\\\\\\n]|\\\\[^\\n])*${mark}`;
  return take(new RegExp(part + part + "[gpiI0-9]*", "y")) !== undefined;
}
