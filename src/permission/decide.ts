import type { Preset } from "../config/config.ts";
import type { CommandLine } from "./simple_command.ts";
import {
  type Asked,
  EDITS,
  fetchGrant,
  gapsOf,
  type Grant,
  grantFor,
  mcpGrant,
  type Offer,
  type Reach,
} from "./grant.ts";
import { groundOf, isBelow } from "./ground.ts";
import {
  asksForPages,
  escalationReason,
  mayBeRule,
  redirects,
  ruleAsks,
  ruleDenies,
  unclear,
} from "./reasons.ts";
import { isAllowed, type Match, matchEdit, matchFetch, matchLine, matchMcp, type Rules } from "./rules.ts";

/** A command that is to run. */
export interface CommandAction {
  readonly kind: "command";
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** Set: the model asks for a wider executor for this one call. */
  readonly escalate?: "network" | "unconfined" | undefined;
  /** The model's own words for why; shown as such, never believed. */
  readonly justification?: string | undefined;
}

/** What a tool is about to do. */
export type Action =
  | CommandAction
  | { readonly kind: "edit"; readonly path: string }
  | { readonly kind: "read"; readonly path: string };

/** A call of a tool of an MCP server. What the server itself says of the tool counts for nothing here. */
export interface McpAction {
  readonly kind: "mcp";
  readonly server: string;
  readonly tool: string;
  /** The user's configuration trusts the server. */
  readonly trusted?: boolean | undefined;
}

/** A page that is to be got from the network. */
export interface FetchAction {
  readonly kind: "fetch";
  /** As it will be sent: normalised, so that what is shown is what is asked for. */
  readonly url: string;
  /** Its name, with the port where it is not the scheme's own. */
  readonly host: string;
  /** Set: the host that sends on to this one. */
  readonly redirectedBy?: string | undefined;
}

/** What the agent itself does, outside of any executor. */
export type AgentAction = FetchAction | McpAction;

/** An answer "always" that could be given to a question. */
export interface Always extends Offer {
  /** `workspace`: to be stored for the workspace. `session`: to be kept until the session ends. */
  readonly scope: "workspace" | "session";
}

/** May it run? A question carries what the user must know to answer it, a refusal what the model must know. */
export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask"; readonly reason: string; readonly always?: Always | undefined }
  | { readonly verdict: "deny"; readonly reason: string };

/** What a decision rests on. */
export interface Standing {
  readonly preset: Preset;
  /** Undefined: the preset's confinement holds. Else why it could not be put on: nothing runs unasked. */
  readonly unconfinedBecause?: string | undefined;
  /** Remembered answers: the workspace's and the session's. */
  readonly grants?: readonly Grant[] | undefined;
  /** The user's configuration, never a workspace's. */
  readonly rules?: Rules | undefined;
  /** Absolute; without it a command's working directory counts as the workspace, and no path as inside it. */
  readonly workspace?: string | undefined;
}

const NO_RULES: Rules = { allow: [], ask: [], deny: [] };
const ALLOW: Decision = { verdict: "allow" };

/**
 * Decides whether an action may run unasked. Pure and total; it never widens anything: an approved action
 * still runs in the executor that `policyFor` gives.
 *
 * `line` is what `readCommandLine` made of a command's text. Without it, or with that of another text, the
 * command counts as unreadable; {@linkcode needsLine} tells when it matters.
 */
export function decide(standing: Standing, action: Action | AgentAction, line?: CommandLine): Decision {
  switch (action.kind) {
    case "command":
      return decideCommand(standing, action, line?.text === action.command ? line : undefined);
    case "edit":
      return decideEdit(standing, action.path);
    case "read":
      return standing.preset !== "full-access" && standing.unconfinedBecause !== undefined
        ? ask(withoutConfinement(standing.unconfinedBecause))
        : ALLOW;
    case "mcp":
      return decideMcp(standing, action);
    case "fetch":
      return decideFetch(standing, action);
  }
}

/** True if `decide` comes to other results with a line that has been read. */
export function needsLine(standing: Standing, action: CommandAction): boolean {
  const rules = standing.rules ?? NO_RULES;
  if (rules.deny.length > 0) return true;
  if (standing.preset === "full-access") return false;
  return rules.ask.length > 0 || standing.preset === "confirm" || action.escalate !== undefined ||
    standing.unconfinedBecause !== undefined;
}

function decideCommand(standing: Standing, action: CommandAction, line: CommandLine | undefined): Decision {
  const { preset, unconfinedBecause, rules = NO_RULES } = standing;
  const denied = matchLine(line, rules.deny);
  if (denied?.certainty === "yes") return { verdict: "deny", reason: ruleDenies(denied.rule) };
  if (preset === "full-access") return ALLOW;
  const reach: Reach = unconfinedBecause !== undefined ? "unconfined" : action.escalate ?? "confined";
  const ruled = denied ?? matchLine(line, rules.ask);
  if (ruled) return ask(join(ruleReason(ruled), widerReason(standing, action)));
  if (reach === "confined" && preset !== "confirm") return ALLOW;
  return judge(standing, action, line, reach);
}

/** A command that runs only if grants, rules or its harmlessness say so. */
function judge(
  standing: Standing,
  action: CommandAction,
  line: CommandLine | undefined,
  reach: Reach,
): Decision {
  const { preset, rules = NO_RULES } = standing;
  // In `read-only` nothing but a yes to this one call gives more than the preset.
  const grants = preset === "read-only" ? [] : standing.grants ?? [];
  const asked = line && { line, reach, ground: groundOf(line, action.cwd, standing.workspace) };
  // A rule never picks a wider executor.
  const allowed = reach === "confined"
    ? (c: Parameters<typeof isAllowed>[0]) => isAllowed(c, rules.allow)
    : undefined;
  const gaps = asked && gapsOf(asked, grants, allowed);
  if (asked && preset !== "read-only" && gaps?.length === 0 && isEarned(asked)) return ALLOW;
  const offer = asked && preset !== "read-only" ? grantFor(asked, grants, allowed) : undefined;
  const reason = join(widerReason(standing, action), reach === "confined" ? unclear(line, gaps) : undefined);
  return { verdict: "ask", reason, ...(offer ? { always: { ...offer, scope: "workspace" } } : {}) };
}

/** A line that is merely harmless gets no wider executor unasked: a grant for that reach must be needed for it. */
function isEarned(asked: Asked): boolean {
  return asked.reach === "confined" || (gapsOf(asked, []) ?? []).length > 0;
}

function decideEdit(standing: Standing, path: string): Decision {
  const { preset, unconfinedBecause, rules = NO_RULES, workspace, grants = [] } = standing;
  const base = workspace ?? "/";
  const denied = matchEdit(path, base, rules.deny);
  if (denied) return { verdict: "deny", reason: ruleDenies(denied) };
  if (preset === "full-access") return ALLOW;
  if (unconfinedBecause !== undefined) return ask(withoutConfinement(unconfinedBecause));
  const asking = matchEdit(path, base, rules.ask);
  if (asking) return ask(ruleAsks(asking));
  if (preset === "workspace") return ALLOW;
  const reason = `The preset \`${preset}\` asks before each change of a file.`;
  const inside = workspace !== undefined && isBelow(path, workspace);
  if (preset === "read-only" || !inside) return ask(reason);
  if (grants.some((g) => g.kind === "edits") || matchEdit(path, base, rules.allow)) return ALLOW;
  return { verdict: "ask", reason, always: { ...EDITS, scope: "session" } };
}

function decideMcp(standing: Standing, { server, tool, trusted }: McpAction): Decision {
  const { preset, rules = NO_RULES, grants = [] } = standing;
  const denied = matchMcp(server, tool, rules.deny);
  if (denied) return { verdict: "deny", reason: ruleDenies(denied) };
  if (preset === "full-access") return ALLOW;
  const asking = matchMcp(server, tool, rules.ask);
  if (asking) return ask(ruleAsks(asking));
  const reason = `The tool is the server's: it runs outside the confinement of \`${preset}\`.`;
  if (preset === "read-only") return ask(reason);
  if (trusted && preset === "workspace") return ALLOW;
  const granted = grants.some((g) => g.kind === "mcp" && g.server === server && g.tool === tool);
  if (granted || matchMcp(server, tool, rules.allow)) return ALLOW;
  return { verdict: "ask", reason, always: { ...mcpGrant(server, tool), scope: "workspace" } };
}

function decideFetch(standing: Standing, { url, host, redirectedBy }: FetchAction): Decision {
  const { preset, rules = NO_RULES, grants = [] } = standing;
  const denied = matchFetch(url, rules.deny);
  if (denied) return { verdict: "deny", reason: ruleDenies(denied) };
  if (preset === "full-access") return ALLOW;
  const origin = redirectedBy && redirects(redirectedBy, host);
  const asking = matchFetch(url, rules.ask);
  if (asking) return ask(join(origin, ruleAsks(asking)));
  const reason = join(origin, asksForPages(preset, host));
  if (preset === "read-only") return ask(reason);
  if (grants.some((g) => g.kind === "fetch" && g.host === host) || matchFetch(url, rules.allow)) return ALLOW;
  return { verdict: "ask", reason, always: { ...fetchGrant(host), scope: "workspace" } };
}

function widerReason(standing: Standing, action: CommandAction): string | undefined {
  if (standing.unconfinedBecause !== undefined) return withoutConfinement(standing.unconfinedBecause);
  return action.escalate && escalationReason(action.escalate, action.justification);
}

function withoutConfinement(why: string): string {
  return `This would run without confinement, because it could not be put on: ${why}`;
}

function ruleReason(match: Match): string {
  return match.certainty === "yes" ? ruleAsks(match.rule) : mayBeRule(match.rule);
}

function join(...sentences: (string | undefined)[]): string {
  return sentences.filter((s) => s !== undefined).join(" ");
}

function ask(reason: string): Decision {
  return { verdict: "ask", reason };
}
