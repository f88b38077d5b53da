import { resolve } from "@std/path/resolve";
import { type HostPattern, matchesHost, parseHostPattern } from "../config/host_pattern.ts";
import { AgentError } from "../errors.ts";
import { everyCommand } from "./command_line.ts";
import type { CommandLine, SimpleCommand } from "./simple_command.ts";
import { isBelow } from "./ground.ts";
import type { ShellWord } from "./shell_word.ts";
import { variableKind } from "./variables.ts";
import { baseName } from "./wrappers.ts";

/**
 * A rule of the user's configuration. Four forms, nothing else:
 *
 * - `npm test` — the command of exactly these words; `npm run *` — of these words and any further ones (`*` may
 *   only be the last word, and stands for none as well). A word with spaces is put in single or double quotes.
 *   It speaks of one simple command: `a && b` is two, and each needs its own.
 * - `edit:docs/guide.md` — a change of this file, `edit:docs/**` — of any file below that directory; relative to
 *   the workspace, or absolute.
 * - `mcp:server/tool`, `mcp:server/*` — a tool, or all tools, of an MCP server.
 * - `fetch:example.org` — the pages of a host, `fetch:*.example.org` — of all hosts below it, `fetch:*` — of all;
 *   with a port only of that port.
 */
export type Rule =
  | {
    readonly kind: "command";
    readonly source: string;
    readonly words: readonly string[];
    readonly open: boolean;
  }
  | { readonly kind: "edit"; readonly source: string; readonly path: string; readonly below: boolean }
  | { readonly kind: "mcp"; readonly source: string; readonly server: string; readonly tool: string }
  | { readonly kind: "fetch"; readonly source: string; readonly host: HostPattern };

/** Rules by what they say; `deny` beats `ask` beats `allow`. */
export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** What a rule says of a line: `maybe` where only running it would tell. */
export type Match = { readonly certainty: "yes" | "maybe"; readonly rule: Rule };

/**
 * Reads the rules of a configuration.
 * @throws AgentError("config") naming the rule that is wrong, and how.
 */
export function parseRules(
  given: { readonly [K in keyof Rules]?: readonly string[] | undefined },
): Rules {
  const list = (verdict: keyof Rules): Rule[] =>
    (given[verdict] ?? []).map((source, i) => parseRule(source, `${verdict}[${i}]`));
  return { allow: list("allow"), ask: list("ask"), deny: list("deny") };
}

function parseRule(source: string, at: string): Rule {
  const fail = (why: string): never => {
    throw new AgentError("config", `The rule ${at} "${source}" cannot be used: ${why}.`);
  };
  const text = source.trim();
  if (text.startsWith("edit:")) {
    const below = text.endsWith("/**");
    const path = text.slice("edit:".length, below ? -"/**".length : undefined);
    if (path === "" || path.includes("*")) {
      fail("a path is `edit:FILE` or `edit:DIRECTORY/**`, without other `*`");
    }
    return { kind: "edit", source: text, path, below };
  }
  if (text.startsWith("mcp:")) {
    const [, server, tool] = /^mcp:([^/\s]+)\/(\*|[^*\s]+)$/.exec(text) ?? [];
    if (!server || !tool) fail("a tool is `mcp:SERVER/TOOL` or `mcp:SERVER/*`");
    return { kind: "mcp", source: text, server: server!, tool: tool! };
  }
  if (text.startsWith("fetch:")) {
    const host = parseHostPattern(text.slice("fetch:".length)) ??
      fail("a host is `fetch:HOST`, `fetch:HOST:PORT`, `fetch:*.HOST` or `fetch:*`");
    return { kind: "fetch", source: text, host };
  }
  const words = splitWords(text) ?? fail("a quote is not closed");
  const open = words.at(-1)?.text === "*" && !words.at(-1)!.quoted;
  const fixed = open ? words.slice(0, -1) : words;
  if (fixed.length === 0) fail("it names no command");
  const bad = fixed.find((w) => !w.quoted && /[*?;&|<>$`\\(){}#\n]/.test(w.text));
  if (bad) {
    fail(`\`${bad.text}\` is no plain word; only the last word may be \`*\`, and others can be quoted`);
  }
  return { kind: "command", source: text, words: fixed.map((w) => w.text), open };
}

function splitWords(text: string): { text: string; quoted: boolean }[] | undefined {
  const words = [...text.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)];
  const rest = text.replace(/'[^']*'|"[^"]*"/g, "");
  if (/['"]/.test(rest)) return undefined;
  return words.map((m) => ({ text: m[1] ?? m[2] ?? m[3]!, quoted: m[3] === undefined }));
}

/** True if a rule of `allow` names this very command, with nothing beside it that writes or changes what runs. */
export function isAllowed(command: SimpleCommand, rules: readonly Rule[]): boolean {
  if (command.redirections.some((r) => r.kind === "write")) return false;
  if (command.places.some((p) => p === "function" || p === "coproc")) return false;
  if (!command.assignments.every((a) => variableKind(a.name, a.value) === "plain")) return false;
  return rules.some((rule) =>
    rule.kind === "command" && (rule.open || command.words.length === rule.words.length) &&
    rule.words.every((word, i) => command.words[i]?.text === word)
  );
}

/** What `deny` or `ask` rules say of a line; wrappers and what they run are looked at alike. */
export function matchLine(line: CommandLine | undefined, rules: readonly Rule[]): Match | undefined {
  let maybe: Match | undefined;
  for (const rule of rules) {
    if (rule.kind !== "command") continue;
    for (const command of everyCommand(line?.commands ?? [])) {
      const certainty = matchCommand(command, rule);
      if (certainty === "yes") return { certainty, rule };
      if (certainty === "maybe") maybe ??= { certainty, rule };
    }
    if (!line || line.unreadable !== undefined) maybe ??= { certainty: "maybe", rule };
  }
  return maybe;
}

/** What rules say of a change of a file. */
export function matchEdit(path: string, workspace: string, rules: readonly Rule[]): Rule | undefined {
  return rules.find((rule) => {
    if (rule.kind !== "edit") return false;
    const place = resolve(workspace, rule.path);
    return rule.below ? isBelow(path, place) : resolve(workspace, path) === place;
  });
}

/** What rules say of a call of an MCP tool. */
export function matchMcp(server: string, tool: string, rules: readonly Rule[]): Rule | undefined {
  return rules.find((r) => r.kind === "mcp" && r.server === server && (r.tool === "*" || r.tool === tool));
}

/** What rules say of a page. */
export function matchFetch(url: string, rules: readonly Rule[]): Rule | undefined {
  return rules.find((rule) => rule.kind === "fetch" && matchesHost(new URL(url), rule.host));
}

function matchCommand(
  command: SimpleCommand,
  rule: Rule & { kind: "command" },
): Match["certainty"] | undefined {
  const forms = [command.words, withoutGitOptions(command.words)];
  const results = forms.map((words) => matchWords(words, rule));
  return results.find((r) => r === "yes") ?? results.find((r) => r === "maybe");
}

/** A program is met by its name wherever it lies: `deny rm *` means `/bin/rm` too. */
function matchWords(
  words: readonly ShellWord[],
  rule: Rule & { kind: "command" },
): Match["certainty"] | undefined {
  let certainty: Match["certainty"] = "yes";
  for (const [i, wanted] of rule.words.entries()) {
    const word = words[i];
    if (!word) return undefined;
    // Behind a word that may become several, the places of all others are open.
    if (word.splits) return wanted.startsWith(i === 0 ? "" : word.start) ? "maybe" : undefined;
    const text = i === 0 && !wanted.includes("/") ? word.text && baseName(word.text) : word.text;
    if (text === undefined) {
      if (!wanted.startsWith(i === 0 ? "" : word.start)) return undefined;
      certainty = "maybe";
    } else if (text !== wanted) return undefined;
  }
  if (rule.open || words.length === rule.words.length) return certainty;
  return words.slice(rule.words.length).every((w) => w.splits) ? "maybe" : undefined;
}

/** `git -c k=v --no-pager push` is `git push` to a rule. */
function withoutGitOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  if (baseName(words[0]?.text ?? "") !== "git") return words;
  let at = 1;
  while (words[at]?.text?.startsWith("-")) {
    at += /^(-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/.test(
        words[at]!.text!,
      )
      ? 2
      : 1;
  }
  return [words[0]!, ...words.slice(at)];
}
