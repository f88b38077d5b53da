import { type OptionSpec, readOptions } from "./option_spec.ts";
import type { ShellWord } from "./shell_word.ts";

/**
 * Sub-commands of git that only read, and why they are let through although git can be told to run programs:
 *
 * - What git runs on its own (`core.fsmonitor`, `diff.external`, textconv and filter drivers, `gpg.program`,
 *   aliases) is named in its configuration alone; attributes that come with a checkout only pick among those
 *   drivers. The configuration is among the places that the confinement protects, so it is the user's own, as
 *   when the user types `git status`.
 * - That holds for the repository that the workspace is, so a line that goes elsewhere (`cd`, `-C`, another
 *   working directory) is not harmless: a directory inside a checkout may look like a bare repository with a
 *   configuration of its own.
 * - Options that ask for a program or a file (`--output`, `--ext-diff`, `--textconv`, `-O`, `-c`, `--exec-path`,
 *   `--show-signature`, `--filters`) are not in the table; abbreviations are not either.
 * - Builtin sub-commands cannot be replaced by an alias.
 *
 * `fetch`, `ls-remote`, `remote show` and `remote update` open connections, for which the configuration names
 * programs; `submodule` and `difftool` are scripts; `config` without `--get` writes; `help` starts a viewer.
 */
const DIFF =
  `stat? numstat shortstat dirstat? summary name-only name-status patch no-patch raw patch-with-stat
  minimal patience histogram diff-algorithm= anchored= compact-summary color? no-color color-moved? word-diff?
  word-diff-regex= color-words? no-renames find-renames? find-copies? find-copies-harder diff-filter= check
  full-index binary abbrev? unified= inter-hunk-context= function-context ignore-all-space ignore-space-change
  ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol ignore-submodules? submodule? src-prefix= dst-prefix=
  no-prefix text exit-code quiet no-ext-diff no-textconv relative? pickaxe-regex pickaxe-all`;

const REVISIONS =
  `all branches? tags? remotes? max-count= skip= since= after= until= before= author= committer= grep=
  all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp merges no-merges first-parent
  not cherry cherry-pick cherry-mark left-right left-only right-only boundary reverse topo-order date-order
  author-date-order ancestry-path? simplify-by-decoration full-history dense sparse reflog walk-reflogs`;

const LOG: OptionSpec = {
  flags: "puUswbWaRzcmtiEFPgM",
  valued: "nSGLl",
  number: true,
  long: `${DIFF} ${REVISIONS} oneline pretty? format= abbrev-commit no-abbrev-commit decorate? no-decorate
    decorate-refs= source graph no-graph follow full-diff date= relative-date notes? no-notes parents children
    left-right cc no-mailmap use-mailmap`,
};

/** A sub-command's options; `list`: operands are patterns only if one of these options is there, else names to make. */
interface GitSpec extends OptionSpec {
  readonly operands?: number;
  readonly list?: readonly string[];
}

const SUBCOMMANDS: Readonly<Record<string, GitSpec>> = {
  status: {
    flags: "sbvzu",
    long:
      "short branch porcelain? long verbose show-stash untracked-files? ignored? ignore-submodules? no-renames column? no-column ahead-behind no-ahead-behind",
  },
  log: LOG,
  show: LOG,
  whatchanged: LOG,
  diff: {
    flags: "puswbWaRzcM",
    valued: "USGl",
    long: `${DIFF} cached staged merge-base no-index base ours theirs`,
  },
  "diff-tree": { flags: "rtpcmsuz", long: `${DIFF} root stdin no-commit-id pretty? format=` },
  "diff-index": { flags: "pmuz", long: `${DIFF} cached` },
  "diff-files": { flags: "puz", long: DIFF },
  shortlog: { flags: "nsecw", long: "numbered summary email committer group= format=" },
  "rev-parse": {
    flags: "q",
    long: `abbrev-ref? show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir
      is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository verify quiet short?
      symbolic symbolic-full-name all branches? tags? remotes? show-superproject-working-tree show-object-format?
      default= revs-only no-revs flags no-flags not since= until= git-path=`,
  },
  "rev-list": {
    flags: "",
    valued: "n",
    number: true,
    long: `${REVISIONS} count objects oneline pretty? format= parents`,
  },
  "ls-files": {
    flags: "cdmosukvtz",
    valued: "xX",
    long:
      `cached deleted modified others ignored stage unmerged killed exclude= exclude-from= exclude-standard
      error-unmatch full-name directory no-empty-directory eol deduplicate recurse-submodules abbrev? format=`,
  },
  "ls-tree": {
    flags: "drtlz",
    long: "long name-only name-status object-only full-name full-tree abbrev? format=",
  },
  "cat-file": { flags: "tspe", long: "" },
  blame: {
    flags: "blctfnspewkMC",
    valued: "LS",
    long: `porcelain line-porcelain incremental root show-stats show-name show-number show-email date= since=
      ignore-rev= color-lines color-by-age abbrev=`,
  },
  describe: {
    flags: "",
    long:
      "all tags contains abbrev= candidates= exact-match long match= exclude= always first-parent dirty? broken?",
  },
  "merge-base": { flags: "a", long: "all octopus independent is-ancestor fork-point" },
  "name-rev": { flags: "", long: "tags refs= exclude= all always name-only" },
  "show-ref": { flags: "qds", long: "head heads tags branches dereference hash? verify abbrev? quiet" },
  "for-each-ref": {
    flags: "",
    long: "count= sort= format= points-at= merged? no-merged? contains? no-contains? ignore-case",
  },
  "count-objects": { flags: "vH", long: "verbose human-readable" },
  "check-ignore": { flags: "qvnz", long: "quiet verbose non-matching no-index" },
  "check-attr": { flags: "az", long: "all cached" },
  cherry: { flags: "v", long: "verbose abbrev?" },
  grep: {
    // Without -O, --open-files-in-pager, --textconv.
    flags: "aiIwvhHEGFPnlLzcopWqr",
    valued: "ABCefm",
    number: true,
    long: `text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp
      fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count
      color? no-color break heading show-function context= after-context= before-context= function-context
      max-depth= and or not all-match quiet cached no-index untracked exclude-standard no-exclude-standard
      recursive no-recursive threads= max-count=`,
  },
  branch: {
    // -l once made a reflog, and a branch with it.
    flags: "avrqi",
    list: ["--list"],
    long:
      `all remotes verbose list show-current color? no-color column? no-column sort= format= merged? no-merged?
      ignore-case abbrev? no-abbrev`,
  },
  tag: {
    flags: "il",
    list: ["--list", "-l"],
    long: "list sort= format= merged? no-merged? color? column? no-column ignore-case",
  },
  version: { flags: "", long: "build-options", operands: 0 },
};

/** Sub-commands whose next word decides whether they read. */
const SECOND: Readonly<Record<string, Readonly<Record<string, OptionSpec>>>> = {
  stash: { list: LOG, show: { flags: "pu", long: `${DIFF} include-untracked only-untracked` } },
  reflog: { show: LOG },
  remote: { "get-url": { flags: "", long: "push all" } },
  worktree: { list: { flags: "vz", long: "porcelain verbose expire=" } },
  config: {
    "--get": {},
    "--get-all": {},
    "--list": { long: "show-origin show-scope name-only local" },
    "-l": {},
  },
};

/** True if git, called with these words at the workspace's top, only reads. */
export function isHarmlessGit(words: readonly ShellWord[]): boolean {
  let at = 0;
  while (
    /^(--no-pager|-P|--no-optional-locks|--no-replace-objects|--literal-pathspecs)$/.test(
      words[at]?.text ?? "",
    )
  ) {
    at++;
  }
  const name = words[at]?.text;
  const rest = words.slice(at + 1);
  if (name === "--version") return rest.length === 0;
  if (name === undefined) return false;
  if (Object.hasOwn(SECOND, name)) return isHarmlessSecond(name, rest);
  if (!Object.hasOwn(SUBCOMMANDS, name)) return false;
  const spec = SUBCOMMANDS[name]!;
  const read = readOptions(rest, spec);
  if (!read) return false;
  if (spec.operands !== undefined && read.operands.length > spec.operands) return false;
  return !spec.list || read.operands.length === 0 || read.options.some((o) => spec.list!.includes(o.name));
}

function isHarmlessSecond(name: string, rest: readonly ShellWord[]): boolean {
  const second = rest[0]?.text;
  if (rest.length === 0) return name === "remote" || name === "reflog";
  if (name === "remote" && second === "-v") return rest.length === 1;
  const specs = SECOND[name]!;
  if (second === undefined || !Object.hasOwn(specs, second)) return false;
  const read = readOptions(rest.slice(1), specs[second]!);
  // `git config --get KEY` takes patterns behind the key; a value to set it never has.
  return read !== undefined;
}
