import { isOperand } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";

/** Tests, options and printing actions of `find` by the number of their arguments. Not here: -delete, -fprint*, -fls. */
const PREDICATES = new Map<string, number>([
  ...[
    "H",
    "L",
    "P",
    "daystart",
    "depth",
    "d",
    "empty",
    "executable",
    "false",
    "follow",
    "ignore_readdir_race",
    "ls",
    "mount",
    "nogroup",
    "noleaf",
    "nouser",
    "nowarn",
    "print",
    "print0",
    "prune",
    "quit",
    "readable",
    "true",
    "warn",
    "writable",
    "xdev",
    "not",
    "a",
    "and",
    "o",
    "or",
  ].map((name): [string, number] => [name, 0]),
  ...[
    "amin",
    "anewer",
    "atime",
    "cmin",
    "cnewer",
    "ctime",
    "fstype",
    "gid",
    "group",
    "ilname",
    "iname",
    "inum",
    "ipath",
    "iregex",
    "iwholename",
    "links",
    "lname",
    "maxdepth",
    "mindepth",
    "mmin",
    "mtime",
    "name",
    "newer",
    "path",
    "perm",
    "printf",
    "regex",
    "regextype",
    "samefile",
    "size",
    "type",
    "uid",
    "used",
    "user",
    "wholename",
    "xtype",
    "newermt",
    "newerat",
    "newerct",
  ].map((name): [string, number] => [name, 1]),
]);

/**
 * True if `find` only looks and prints. A clause of `-exec` is passed over: what it runs is judged as a command
 * of its own.
 */
export function isHarmlessFind(words: readonly ShellWord[]): boolean {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const text = word.text;
    if (text !== undefined && /^[!(),]$/.test(text)) continue;
    if (isOperand(word)) continue;
    if (text === undefined) return false;
    if (text === "-exec" || text === "-execdir") {
      const end = words.findIndex((w, j) =>
        j > i && (w.text === ";" || (w.text === "+" && words[j - 1]?.text === "{}"))
      );
      if (end < 0) return false;
      i = end;
      continue;
    }
    const count = PREDICATES.get(text.slice(1));
    if (count === undefined) return false;
    for (let n = 0; n < count; n++) {
      const value = words[++i];
      if (!value || value.splits || !(isOperand(value) || /^-\d*[a-zA-Z]?$/.test(value.text ?? ""))) {
        return false;
      }
    }
  }
  return true;
}
