import { type OptionSpec, readOptions } from "./option_spec.ts";
import { literalWord, type ShellWord, unknownWord } from "./shell_word.ts";

/** What a wrapper would run: a command by its words, or a text that a shell reads. */
export type Inner =
  | { readonly words: readonly ShellWord[]; readonly assignments?: readonly string[] }
  | { readonly script: string; readonly dialect: "bash" | "sh" };

/** What is known of a command that may run others. */
export type Seen =
  | { readonly kind: "plain" }
  | { readonly kind: "fault"; readonly reason: string }
  | { readonly kind: "wraps"; readonly transparent: boolean; readonly inner: readonly Inner[] };

const PLAIN: Seen = { kind: "plain" };

/** Wrappers that run the rest of their words, with their own options. */
const PREFIXES: Record<string, { spec: OptionSpec; skip?: number; transparent: boolean }> = {
  command: { spec: { flags: "p" }, transparent: true },
  builtin: { spec: {}, transparent: true },
  exec: { spec: { flags: "cl", valued: "a" }, transparent: true },
  nohup: { spec: {}, transparent: true },
  nice: { spec: { valued: "n", long: "adjustment=", number: true }, transparent: true },
  ionice: { spec: { flags: "t", valued: "cn", long: "class= classdata= ignore" }, transparent: true },
  stdbuf: { spec: { valued: "ioe", long: "input= output= error=" }, transparent: true },
  // The keyword is read by the grammar; this is the program, whose -o writes.
  time: { spec: { flags: "pv", valued: "f", long: "portability verbose format=" }, transparent: true },
  timeout: {
    spec: {
      flags: "v",
      valued: "ks",
      long: "kill-after= signal= foreground preserve-status verbose",
    },
    skip: 1,
    transparent: true,
  },
  setsid: { spec: { flags: "cfw", long: "ctty fork wait" }, transparent: false },
  sudo: {
    spec: {
      flags: "nEHSkbiPA",
      valued: "ugCDhpRT",
      long:
        "non-interactive preserve-env? set-home stdin reset-timestamp background login user= group= chdir=",
    },
    transparent: false,
  },
  doas: { spec: { flags: "nsL", valued: "uC" }, transparent: false },
  busybox: { spec: {}, transparent: false },
  toybox: { spec: {}, transparent: false },
};

const SHELLS: Record<string, "bash" | "sh" | undefined> = { bash: "bash", sh: "sh", dash: "sh", ash: "sh" };
const OTHER_SHELLS = new Set(["zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "elvish", "nu", "rbash"]);

/** Looks through a command at what it would run. */
export function seeThrough(words: readonly ShellWord[]): Seen {
  const program = baseName(words[0]?.text ?? "");
  const rest = words.slice(1);
  switch (program) {
    case "env":
      return seeEnv(rest);
    case "xargs":
      return seeXargs(rest);
    case "find":
      return seeFind(rest);
    case "eval":
      return seeEval(rest);
    case "su":
      return { kind: "fault", reason: "`su` runs a shell of another user" };
    case "command":
      // With -v or -V it only tells what a name means.
      if (/^-[vV]+$/.test(rest[0]?.text ?? "")) return PLAIN;
  }
  if (SHELLS[program]) return seeShell(program, rest, SHELLS[program]);
  if (OTHER_SHELLS.has(program) && rest.some((w) => w.text === undefined || /^-[a-zA-Z]*c/.test(w.text))) {
    return { kind: "fault", reason: `\`${program}\` has a grammar of its own` };
  }
  return Object.hasOwn(PREFIXES, program) ? seePrefix(program, rest) : PLAIN;
}

/** The last part of a program's path. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function seePrefix(program: string, rest: readonly ShellWord[]): Seen {
  const { spec, skip = 0, transparent } = PREFIXES[program]!;
  const read = readOptions(rest, spec, { stopAtOperand: true });
  if (!read) return { kind: "fault", reason: `\`${program}\` has options that are not known here` };
  const skipped = read.operands.slice(0, skip);
  if (skipped.some((w) => w.splits)) {
    return { kind: "fault", reason: `what \`${program}\` runs depends on a variable or a glob` };
  }
  const words = read.operands.slice(skip);
  if (words.length === 0) return PLAIN;
  return { kind: "wraps", transparent, inner: [{ words }] };
}

function seeEnv(rest: readonly ShellWord[]): Seen {
  const spec = { flags: "i0v", valued: "uC", long: "ignore-environment null unset= chdir= debug" };
  const read = readOptions(rest, spec, { stopAtOperand: true });
  if (!read) return { kind: "fault", reason: "`env` has options that are not known here" };
  const assignments: string[] = [];
  let at = read.operands[0]?.text === "-" ? 1 : 0;
  for (; at < read.operands.length; at++) {
    const word = read.operands[at]!;
    if (word.splits || (word.text === undefined && !word.start.includes("="))) break;
    if (!(word.text ?? word.start).includes("=")) break;
    assignments.push(word.text ?? word.source);
  }
  const words = read.operands.slice(at);
  if (words.length === 0 && assignments.length === 0) return PLAIN;
  const elsewhere = read.options.some((o) => o.name === "-C" || o.name === "--chdir");
  return { kind: "wraps", transparent: !elsewhere, inner: [{ words, assignments }] };
}

function seeXargs(rest: readonly ShellWord[]): Seen {
  const spec = {
    flags: "0rtx",
    valued: "nPLIdsaE",
    long: "null no-run-if-empty verbose exit max-args= max-procs= max-lines= max-chars= delimiter= arg-file=",
  };
  const read = readOptions(rest, spec, { stopAtOperand: true });
  if (!read) return { kind: "fault", reason: "`xargs` has options that are not known here" };
  const replace = read.options.find((o) => o.name === "-I");
  if (replace && replace.value?.text === undefined) {
    return { kind: "fault", reason: "where `xargs` puts its input is not plain (write `-I {}`)" };
  }
  const placed = replace?.value?.text;
  const words = read.operands.map((w) => withInput(w, placed));
  const given = words.length === 0 ? [literalWord("echo")] : words;
  const all = placed === undefined ? [...given, unknownWord("…", true)] : given;
  return { kind: "wraps", transparent: true, inner: [{ words: all }] };
}

/** A word into which another program writes: then it may be any word. */
function withInput(word: ShellWord, placeholder: string | undefined): ShellWord {
  if (placeholder === undefined || word.text === undefined || !word.text.includes(placeholder)) return word;
  const start = word.text.slice(0, word.text.indexOf(placeholder));
  return { source: word.source, text: undefined, start, splits: false };
}

const FIND_EXEC = /^-(exec|execdir|ok|okdir)$/;

function seeFind(rest: readonly ShellWord[]): Seen {
  const inner: Inner[] = [];
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!;
    if (word.text === undefined && (word.start === "" || word.start.startsWith("-"))) {
      return { kind: "fault", reason: "what `find` does depends on a variable or a glob" };
    }
    if (!FIND_EXEC.test(word.text ?? "")) continue;
    const end = rest.findIndex((w, j) =>
      j > i && (w.text === ";" || (w.text === "+" && rest[j - 1]?.text === "{}"))
    );
    if (end < 0) return { kind: "fault", reason: "the command of `find -exec` has no end" };
    const clause = rest.slice(i + 1, end);
    if (clause.some((w) => w.splits)) {
      return { kind: "fault", reason: "what `find -exec` runs depends on a variable or a glob" };
    }
    const many = rest[end]!.text === "+";
    inner.push({
      words: clause.map((w) => {
        const filled = withInput(w, "{}");
        return many && filled !== w ? { ...filled, splits: true } : filled;
      }),
    });
    i = end;
  }
  return inner.length === 0 ? PLAIN : { kind: "wraps", transparent: true, inner };
}

function seeEval(rest: readonly ShellWord[]): Seen {
  const words = rest[0]?.text === "--" ? rest.slice(1) : rest;
  const texts = words.map((w) => w.text);
  if (texts.some((t) => t === undefined)) {
    return { kind: "fault", reason: "`eval` runs what a variable or a command gives" };
  }
  return { kind: "wraps", transparent: true, inner: [{ script: texts.join(" "), dialect: "bash" }] };
}

/** `-o` takes a word, `-l` and `-i` read start-up files: those are seen through, but count as a door. */
function seeShell(program: string, rest: readonly ShellWord[], dialect: "bash" | "sh"): Seen {
  const flags = rest.findIndex((w) => w.text === undefined || !w.text.startsWith("-") || w.text === "-");
  const options = flags < 0 ? rest : rest.slice(0, flags);
  if (!options.some((w) => /^-[a-zA-Z]*c/.test(w.text!))) {
    if (options.length > 0 && rest.some((w) => /^-[a-zA-Z]*c/.test(w.text ?? ""))) {
      return { kind: "fault", reason: `\`${program}\` has options that are not known here` };
    }
    const unsure = rest.some((w) => w.text === undefined && (w.start === "" || w.start.startsWith("-")));
    return unsure
      ? { kind: "fault", reason: `what \`${program}\` runs depends on a variable or a glob` }
      : PLAIN;
  }
  if (!options.every((w) => /^-[ceuxli]+$/.test(w.text!)) || options.length > 3) {
    return { kind: "fault", reason: `\`${program}\` has options that are not known here` };
  }
  const script = rest[options.length];
  if (script?.text === undefined) {
    return { kind: "fault", reason: `what \`${program} -c\` runs depends on a variable or a command` };
  }
  const startup = options.some((w) => /[li]/.test(w.text!));
  return { kind: "wraps", transparent: !startup, inner: [{ script: script.text, dialect }] };
}
