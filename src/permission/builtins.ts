import { assignmentFault, isOwnName } from "./assignments.ts";
import type { Redirection } from "./simple_command.ts";
import { readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";
import { testFault } from "./test_command.ts";

/** Builtins that change what later words mean, or run what a variable holds. */
const CHANGERS = new Set(
  ("alias unalias enable hash shopt trap bind complete compgen compopt let source . fc history getopts " +
    "suspend fg bg disown").split(" "),
);

const DECLARERS = new Set(["export", "declare", "typeset", "local", "readonly"]);

/** All builtins and keywords of bash that are no programs: what they do ends with the shell. */
export const BUILTINS: ReadonlySet<string> = new Set([
  ...CHANGERS,
  ...DECLARERS,
  ..."set unset read mapfile readarray cd pushd popd dirs printf wait jobs exec eval builtin command exit return"
    .split(
      " ",
    ),
  ..."break continue shift times umask ulimit kill type echo test [ true false : pwd caller help".split(" "),
]);

/** Why a call of a shell builtin makes the line uncertain, or undefined. */
export function builtinFault(
  words: readonly ShellWord[],
  redirections: readonly Redirection[],
): string | undefined {
  const name = words[0]?.text;
  const rest = words.slice(1);
  if (name === undefined) return undefined;
  if (CHANGERS.has(name)) return `\`${name}\` changes what later commands mean`;
  if (DECLARERS.has(name)) return declareFault(name, rest);
  switch (name) {
    case "set":
      return rest.every((w) => /^([-+][euxo]+|pipefail|errexit|nounset|xtrace)$/.test(w.text ?? ""))
        ? undefined
        : "`set` changes what later commands mean";
    case "unset":
      return rest.every((w) => /^-[fv]$/.test(w.text ?? "") || isOwnName(w.text))
        ? undefined
        : "`unset` takes away what later commands may need";
    case "read":
    case "mapfile":
    case "readarray":
      return readFault(name, rest);
    case "printf":
      return printfFault(rest);
    case "test":
      return testFault(rest);
    case "[":
      return rest.at(-1)?.text === "]" ? testFault(rest.slice(0, -1)) : "`[` has no closing `]`";
    case "wait":
    case "jobs":
      return rest.every((w) =>
          /^(\d+|%\d+|-[lnprs])$/.test(w.text ?? "") && w.text !== "-p" || name === "jobs" && w.text === "-p"
        )
        ? undefined
        : `\`${name}\` has options that are not known here`;
    case "exec":
      return rest.length === 0 && redirections.some((r) => r.kind !== "quiet")
        ? "`exec` redirects all later commands"
        : undefined;
  }
  return undefined;
}

function declareFault(name: string, rest: readonly ShellWord[]): string | undefined {
  for (const word of rest) {
    if (/^(-[xrgaAp]+|--)$/.test(word.text ?? "")) continue;
    const set = /^([A-Za-z_]\w*)(=|$)/.exec(word.text ?? word.start);
    if (!set || word.splits) return `what \`${name}\` sets is not certain`;
    const fault = assignmentFault(
      set[1]!,
      word.text?.includes("=") ? word.text.slice(set[0].length) : undefined,
    );
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A name with a subscript is computed, and a name like PATH changes what runs. */
function readFault(name: string, rest: readonly ShellWord[]): string | undefined {
  const spec = name === "read" ? { flags: "res", valued: "dntNpua" } : { flags: "t", valued: "dnOsu" };
  const read = readOptions(rest, spec, { stopAtOperand: true });
  const arrays = read?.options.filter((o) => o.name === "-a").map((o) => o.value?.text) ?? [];
  return read && [...read.operands.map((w) => w.text), ...arrays].every(isOwnName)
    ? undefined
    : `what \`${name}\` sets is not certain`;
}

/** `-v NAME` and `%n` set variables. */
function printfFault(rest: readonly ShellWord[]): string | undefined {
  const [first, ...others] = rest;
  if (!first) return undefined;
  if (first.text === "-v") {
    return isOwnName(others[0]?.text) ? printfFault(others.slice(1)) : "what `printf -v` sets is not certain";
  }
  const format = first.text === "--" ? others[0] : first;
  if (format?.text === undefined || (format === first && /^-./.test(format.text))) {
    return format ? "what `printf` sets is not certain: its format is not plain" : undefined;
  }
  return /%[^%A-Za-z]*n/.test(format.text.replaceAll("%%", "")) ? "`printf %n` sets a variable" : undefined;
}
