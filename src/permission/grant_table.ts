import type { Ground } from "./ground.ts";
import { type OptionSpec, readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";

/** A sub-command that may be granted with any arguments that open no door. */
export interface Subcommand {
  /** The words that name it, in one spelling: `npm run-script x` is `["npm", "run", "x"]`. */
  readonly key: readonly string[];
}

/** Reads what follows the program's name: the name of the sub-command, if its arguments open no door. */
type Tool = (words: readonly ShellWord[], ground: Ground) => readonly string[] | undefined;

/**
 * The sub-command that a command calls, or undefined if its tool is not in the table, or an argument opens a
 * door: an option that names another program, project, configuration, or place to write to.
 */
export function subcommandOf(words: readonly ShellWord[], ground: Ground): Subcommand | undefined {
  const program = words[0]?.text ?? "";
  if (!Object.hasOwn(TOOLS, program)) return undefined;
  const key = TOOLS[program]!(words.slice(1), ground);
  return key && { key: [program, ...key] };
}

const NAME = /^[\w@][\w@.:/-]*$/;

/**
 * npm takes any of its settings as an option, `--script-shell` and `--prefix` included, wherever it stands
 * before `--`: so only a few are let through. What follows `--` is the script's.
 */
const NPM: OptionSpec = {
  flags: "s",
  valued: "w",
  long:
    "silent if-present workspaces workspace= no-audit no-fund prefer-offline offline ignore-scripts no-progress",
};
const INSTALL: OptionSpec = {
  flags: "sr",
  long: `${NPM.long} frozen-lockfile immutable legacy-peer-deps omit= include= recursive production`,
};

const npm: Tool = (words) => {
  const name = words[0]?.text;
  switch (name) {
    case "test":
    case "t":
    case "tst":
      return hasOnly(words.slice(1), NPM) ? ["test"] : undefined;
    case "run":
    case "run-script":
      return isName(words[1]) && hasOnly(words.slice(2), NPM) ? ["run", words[1]!.text!] : undefined;
    case "ci":
    case "clean-install":
      return isInstall(words.slice(1)) ? ["ci"] : undefined;
    case "install":
    case "i":
      return isInstall(words.slice(1)) ? ["install"] : undefined;
  }
  return undefined;
};

/** Before `--` these have options of their own, `--cwd` and `-C` among them. */
const SILENT: OptionSpec = { flags: "s", long: "silent" };

const pnpm: Tool = (words) => {
  const name = words[0]?.text;
  if (name === "install" || name === "i") return isInstall(words.slice(1)) ? ["install"] : undefined;
  if (name === "test" || name === "t") return hasOnly(words.slice(1), SILENT) ? ["test"] : undefined;
  if (name !== "run" || !isName(words[1])) return undefined;
  return hasOnly(words.slice(2), SILENT) ? ["run", words[1]!.text!] : undefined;
};

/** Without package names: what the project's own files list, which a script of the project could run as well. */
function isInstall(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, INSTALL);
  return read !== undefined && read.operands.length === 0;
}

/** True if all options before `--` are known; operands go to the script. */
function hasOnly(words: readonly ShellWord[], spec: OptionSpec): boolean {
  return isCertain(words) && readOptions(words, spec) !== undefined;
}

const DENO: Readonly<Record<string, OptionSpec>> = {
  test: {
    flags: "AqRWNESP",
    valued: "",
    long:
      `quiet filter= fail-fast? parallel no-check? check? doc trace-leaks shuffle? reporter= allow-all allow-read?
      allow-write? allow-net? allow-env? allow-run? allow-sys? allow-ffi? deny-read? deny-write? deny-net? deny-env?
      deny-run? no-prompt no-run permit-no-files ignore= cached-only no-remote no-npm hide-stacktraces`,
  },
  check: { flags: "q", long: "quiet all doc doc-only cached-only no-remote no-npm" },
  lint: {
    flags: "q",
    long: "quiet fix json compact rules rules-tags= rules-include= rules-exclude= ignore=",
  },
  fmt: {
    flags: "q",
    long:
      `quiet check fail-fast line-width= indent-width= use-tabs? single-quote? no-semicolons? prose-wrap= ext=
      ignore=`,
  },
};

/**
 * `--allow-*` is no door: tests are the workspace's own code either way, and the confinement binds what they may
 * do. `--config`, `--preload`, `--import-map`, `--junit-path`, `--coverage` and addresses are.
 */
const deno: Tool = (words) => {
  const name = words[0]?.text ?? "";
  if (name === "task") {
    return isName(words[1]) && isCertain(words.slice(2)) ? ["task", words[1]!.text!] : undefined;
  }
  if (!Object.hasOwn(DENO, name)) return undefined;
  return isLocal(words.slice(1), DENO[name]!) ? [name] : undefined;
};

const CARGO: OptionSpec = {
  flags: "qvr",
  valued: "pjF",
  long:
    `quiet verbose release package= workspace all exclude= lib bin? bins example? examples test? tests bench?
    benches all-targets doc no-run no-fail-fast jobs= features= all-features no-default-features profile= keep-going
    locked offline frozen message-format= color= check all fix allow-dirty allow-staged no-deps`,
};

/** Without `--config`, `-Z`, `--manifest-path`, `--target-dir`, `+toolchain`; what follows `--` only for tests. */
const cargo: Tool = (words) => {
  const name = words[0]?.text ?? "";
  if (!/^(test|build|check|clippy|fmt)$/.test(name)) return undefined;
  const rest = words.slice(1);
  const end = rest.findIndex((w) => w.text === "--");
  const after = end < 0 ? [] : rest.slice(end + 1);
  if (!isLocal(end < 0 ? rest : rest.slice(0, end), CARGO) || !isCertain(after)) return undefined;
  if (
    name === "clippy" && !after.every((w) => /^(-[WADF]|(clippy::)?[a-z_]+|-[WADF][a-z_:]+)$/.test(w.text!))
  ) return undefined;
  if (name === "fmt" && !after.every((w) => w.text === "--check")) return undefined;
  return [name];
};

const GO_FLAGS =
  /^--?(v|x|n|a|race|short|failfast|json|cover|benchmem|trimpath|(run|skip|bench|benchtime|count|timeout|parallel|p|cpu|tags|list|shuffle|covermode)=.*)$/;
const GO_VALUED = /^--?(run|skip|bench|benchtime|count|timeout|parallel|p|cpu|tags|list|shuffle|covermode)$/;

/** go's options have one dash or two and no abbreviations; without -exec, -toolexec, -o, -overlay, -ldflags. */
const go: Tool = (words) => {
  const name = words[0]?.text ?? "";
  if (!/^(test|build|vet)$/.test(name)) return undefined;
  for (let i = 1; i < words.length; i++) {
    const text = words[i]!.text;
    if (text === undefined) return undefined;
    if (GO_VALUED.test(text)) {
      if (words[++i]?.text === undefined) return undefined;
    } else if (text.startsWith("-") ? !GO_FLAGS.test(text) : !/^[\w./-]+$/.test(text) || leadsOut(text)) {
      return undefined;
    }
  }
  return [name];
};

/** `VAR=…` and `-f`, `-C`, `--eval` change what a target runs; so do further targets, which the label does not name. */
const make: Tool = (words) => {
  const targets = words.filter((w) =>
    !/^(-j\d*|-[ksBinw]+|--no-print-directory|--keep-going|--silent)$/.test(w.text ?? "")
  );
  const [target] = targets;
  return targets.length === 1 && /^\w[\w.-]*$/.test(target!.text ?? "") ? [target!.text!] : undefined;
};

const PYTEST: OptionSpec = {
  flags: "qvxsl",
  valued: "kmn",
  long:
    `quiet verbose exitfirst capture= maxfail= lf last-failed ff failed-first nf new-first sw stepwise tb= durations=
    co collect-only no-header no-summary color= showlocals`,
};

/** Without -p, -c, -o, --rootdir, --basetemp, --junit-xml and files of options (`@file`). */
const pytest: Tool = (words) => isLocal(words, PYTEST) ? [] : undefined;

const python: Tool = (words, ground) => {
  if (words[0]?.text !== "-m" || words[1]?.text !== "pytest") return undefined;
  const rest = pytest(words.slice(2), ground);
  return rest && ["-m", "pytest", ...rest];
};

/** No option of these opens a door, so any arguments will do, a computed commit message too. */
const GIT_OPEN = new Set([
  "add",
  "commit",
  "status",
  "branch",
  "switch",
  "checkout",
  "restore",
  "stash",
  "tag",
]);
/** These have `--output`, `--ext-diff` and `--textconv`, which git lets be abbreviated. */
const GIT_DIFF = new Set(["log", "diff", "show"]);

/**
 * At the workspace's top only, where the configuration is the user's own. Not here: `rebase` (`--exec`), `merge`
 * (strategies are programs), `push`, `pull`, `fetch` (they need the network, where grants are exact), `config`,
 * `clean`, `reset`.
 */
const git: Tool = (words, ground) => {
  const rest = words[0]?.text === "--no-pager" ? words.slice(1) : words;
  const name = rest[0]?.text ?? "";
  if (!ground.atRoot) return undefined;
  if (GIT_OPEN.has(name)) return [name];
  if (!GIT_DIFF.has(name) || !isCertain(rest)) return undefined;
  return rest.some((w) => /^--(o|e|te)/.test(w.text!) && !/^--(oneline|exit-code)$/.test(w.text!))
    ? undefined
    : [name];
};

const TOOLS: Readonly<Record<string, Tool>> = {
  npm,
  pnpm,
  yarn: pnpm,
  deno,
  cargo,
  go,
  make,
  pytest,
  python,
  python3: python,
  git,
};

function isName(word: ShellWord | undefined): boolean {
  return NAME.test(word?.text ?? "");
}

function isCertain(words: readonly ShellWord[]): boolean {
  return words.every((w) => w.text !== undefined);
}

/** True if all options are known and all other words name things in the workspace. */
function isLocal(words: readonly ShellWord[], spec: OptionSpec): boolean {
  const read = isCertain(words) ? readOptions(words, spec) : undefined;
  return read !== undefined && !words.some((w) => w.text === "--") &&
    read.operands.every((w) => !leadsOut(w.text!)) &&
    !read.options.some((o) => o.name === "--ignore" && leadsOut(o.value?.text ?? "/"));
}

/** Absolute, upwards, an address, or a file of arguments. */
function leadsOut(text: string): boolean {
  return /^[/~@-]|(^|\/)\.\.(\/|$)|^[A-Za-z][\w+.-]*:(?!:)/.test(text);
}
