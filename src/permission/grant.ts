import { BUILTINS } from "./builtins.ts";
import type { CommandLine, SimpleCommand } from "./simple_command.ts";
import type { Ground } from "./ground.ts";
import { subcommandOf } from "./grant_table.ts";
import { isHarmless, passesThrough } from "./harmless.ts";
import { variableKind } from "./variables.ts";

/** Which executor a command runs in. */
export type Reach = "confined" | "network" | "unconfined";

/** One command that a grant covers. */
export type GrantPart =
  /** Word for word this command, with nothing that feeds it. */
  | { readonly kind: "exact"; readonly assignments: readonly string[]; readonly words: readonly string[] }
  /** A sub-command of a known tool, with arguments that open no door; the words are those of `subcommandOf`. */
  | { readonly kind: "subcommand"; readonly words: readonly string[] };

/**
 * An answer "always", kept. Plain JSON. A grant only removes a question; it covers exactly what its label says
 * or less, and one for a reach never covers another reach.
 */
export type Grant =
  | {
    readonly version: 1;
    readonly kind: "commands";
    readonly reach: Reach;
    readonly parts: readonly GrantPart[];
  }
  /** Changes of files in the workspace. */
  | { readonly version: 1; readonly kind: "edits" }
  /** One tool of one MCP server. */
  | { readonly version: 1; readonly kind: "mcp"; readonly server: string; readonly tool: string }
  /** All pages of one host, names below it not included; with the port where it is not the scheme's own. */
  | { readonly version: 1; readonly kind: "fetch"; readonly host: string };

/** A grant that could be given, and what to call it. */
export interface Offer {
  readonly grant: Grant;
  /** For people: what the grant covers, and where. */
  readonly label: string;
}

/** A command line that is to run. */
export interface Asked {
  readonly line: CommandLine;
  readonly reach: Reach;
  readonly ground: Ground;
}

/** More is nothing that one button could name. */
const MAX_PARTS = 3;
const MAX_TEXT = 160;

/**
 * The commands of a line that need a yes: neither harmless nor granted nor `allowed` otherwise. Wrappers that
 * add nothing are left out for what they run. Empty: the line may run unasked. Undefined: nobody can tell.
 */
export function gapsOf(
  asked: Asked,
  grants: readonly Grant[],
  allowed: (command: SimpleCommand) => boolean = () => false,
): readonly SimpleCommand[] | undefined {
  const { line, reach, ground } = asked;
  if (line.unreadable !== undefined) return undefined;
  const parts = grants.flatMap((g) => g.kind === "commands" && g.reach === reach ? g.parts : []);
  // Unconfined, even a harmless command could read what the confinement hides.
  const fine = (command: SimpleCommand) =>
    (reach !== "unconfined" && isHarmless(command, ground)) || allowed(command) ||
    parts.some((part) => isCovered(command, part, asked));
  const gaps = (commands: readonly SimpleCommand[]): SimpleCommand[] =>
    commands.flatMap((c) => fine(c) ? [] : passesThrough(c) ? gaps(c.wraps!.commands) : [c]);
  return gaps(line.commands);
}

/** True if grants (and harmlessness) cover every command of the line. */
export function covers(grants: readonly Grant[], asked: Asked): boolean {
  return gapsOf(asked, grants)?.length === 0;
}

/**
 * What "always" would store for a line: a grant for the commands that no grant in `grants` covers yet. Undefined
 * where no grant could be named truthfully: the line cannot be read, writes beside it, leaves the workspace, or
 * is too long.
 */
export function grantFor(
  asked: Asked,
  grants: readonly Grant[] = [],
  allowed?: (command: SimpleCommand) => boolean,
): Offer | undefined {
  const gaps = gapsOf(asked, grants, allowed);
  if (!gaps || gaps.length === 0) return undefined;
  const parts = unique(gaps.map((command) => partFor(command, asked)));
  if (!parts || parts.length > MAX_PARTS) return undefined;
  return {
    grant: { version: 1, kind: "commands", reach: asked.reach, parts },
    label: `Always allow ${listed(parts.map(partLabel))}${REACH_LABEL[asked.reach]} in this workspace`,
  };
}

/** The grant for changes of files; it is kept for a session, never stored. */
export const EDITS: Offer = {
  grant: { version: 1, kind: "edits" },
  label: "Always allow changes to files in this workspace, for this session",
};

/** The grant for one tool of an MCP server. */
export function mcpGrant(server: string, tool: string): Offer {
  return {
    grant: { version: 1, kind: "mcp", server, tool },
    label: `Always allow the tool \`${tool}\` of the MCP server \`${server}\` in this workspace`,
  };
}

/** The grant for the pages of one host. */
export function fetchGrant(host: string): Offer {
  return {
    grant: { version: 1, kind: "fetch", host },
    label: `Always allow to fetch any page of the host \`${host}\` in this workspace`,
  };
}

/** What a grant covers, for a list of grants. */
export function describeGrant(grant: Grant): string {
  switch (grant.kind) {
    case "commands":
      return listed(grant.parts.map(partLabel)) + REACH_LABEL[grant.reach];
    case "edits":
      return "changes to files in the workspace";
    case "mcp":
      return `the tool \`${grant.tool}\` of the MCP server \`${grant.server}\``;
    case "fetch":
      return `any page of the host \`${grant.host}\``;
  }
}

const REACH_LABEL: Readonly<Record<Reach, string>> = {
  confined: "",
  network: " with network access",
  unconfined: " without confinement",
};

function isCovered(command: SimpleCommand, part: GrantPart, asked: Asked): boolean {
  const own = partFor(command, asked, part.kind);
  return own !== undefined && key(own) === key(part);
}

/** The part that would cover a command, of one kind or of the widest that fits. */
function partFor(command: SimpleCommand, asked: Asked, kind?: GrantPart["kind"]): GrantPart | undefined {
  if (!asked.ground.inside || command.words.length === 0) return undefined;
  if (command.places.some((p) => p === "function" || p === "coproc")) return undefined;
  if (command.redirections.some((r) => r.kind === "write")) return undefined;
  // What has a reach of its own is kept exact: with the network, other arguments are other dangers.
  const wide = asked.reach === "confined" && kind !== "exact" ? widePart(command, asked.ground) : undefined;
  return wide ?? (kind === "subcommand" ? undefined : exactPart(command));
}

function widePart(command: SimpleCommand, ground: Ground): GrantPart | undefined {
  if (!command.assignments.every((a) => variableKind(a.name, a.value) === "plain")) return undefined;
  const words = subcommandOf(command.words, ground);
  return words && { kind: "subcommand", words: words.key };
}

/** A program that is fed runs or writes what it is fed; a builtin changes the shell for what comes after it. */
function exactPart(command: SimpleCommand): GrantPart | undefined {
  if (command.fed || BUILTINS.has(command.words[0]!.text ?? "")) return undefined;
  const words = command.words.map((w) => w.text);
  const assignments = command.assignments.map((a) =>
    a.value === undefined ? undefined : `${a.name}=${a.value}`
  );
  const all = [...assignments, ...words];
  if (all.some((t) => t === undefined || /[\n\t`]/.test(t)) || all.join(" ").length > MAX_TEXT) {
    return undefined;
  }
  if (command.assignments.some((a) => a.source.includes("+=") || a.source.includes("["))) return undefined;
  return { kind: "exact", assignments: assignments as string[], words: words as string[] };
}

function unique(parts: readonly (GrantPart | undefined)[]): GrantPart[] | undefined {
  if (parts.includes(undefined)) return undefined;
  return [...new Map((parts as GrantPart[]).map((part) => [key(part), part])).values()];
}

function key(part: GrantPart): string {
  return JSON.stringify(part.kind === "exact" ? [part.assignments, part.words] : part.words);
}

function partLabel(part: GrantPart): string {
  if (part.kind === "exact") {
    return `exactly \`${[...part.assignments, ...part.words].map(quoted).join(" ")}\``;
  }
  return `\`${part.words.map(quoted).join(" ")}\` ${tailOf(part.words)}`;
}

function tailOf(words: readonly string[]): string {
  switch (words[0] === "git" ? "" : words.slice(0, 2).join(" ")) {
    case "npm install":
    case "npm ci":
    case "pnpm install":
    case "yarn install":
      return "with plain options, without package names";
    default:
      return words[0] === "make" ? "with options such as -j" : "with any arguments";
  }
}

/** As it could be typed. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
