import { plainLineOf, shortHash } from "./text.ts";

/** What stands before the names of all tools of MCP servers. */
export const MCP_PREFIX = "mcp__";
/** Characters of a tool's name that providers take. */
const MAX_NAME = 64;
const MAX_SERVER = 24;
/** Characters of a name as people see it. */
const MAX_SHOWN = 80;

/** Part of a name that any provider takes. `__` is kept for what stands between the parts. */
function safe(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/__+/g, "_").replace(/^_+|_+$/g, "");
}

/** The name within `max` characters; one that had to be changed gets a hash of its own, so that it stays unique. */
function safeWithin(name: string, max: number): string {
  const part = safe(name);
  if (part !== "" && part.length <= max) return part;
  return `${part.slice(0, max - 7)}_${shortHash(name)}`.replace(/^_/, "");
}

/**
 * The names by which the model calls tools, `mcp__server__tool`: safe, at most 64 characters, no two the same.
 * A name depends on those before it only where two would be the same.
 */
export class ModelNames {
  readonly #taken = new Set<string>();

  /** The next tool's name. */
  take(server: string, tool: string): string {
    const head = `${MCP_PREFIX}${safeWithin(server, MAX_SERVER)}__`;
    let name = head + safeWithin(tool, MAX_NAME - head.length);
    for (let n = 1; this.#taken.has(name); n++) {
      const tail = `_${shortHash(`${server}/${tool}/${n}`)}`;
      name = name.slice(0, MAX_NAME - tail.length) + tail;
    }
    this.#taken.add(name);
    return name;
  }
}

/** What a model's name says of server and tool; undefined for the name of another tool. */
export function partsOf(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__([A-Za-z0-9_-]+?)__([A-Za-z0-9_-]+)$/.exec(name) ?? [];
  return server && tool ? { server, tool } : undefined;
}

/**
 * A server's or a tool's name as grants, rules and people know it: the name itself where it is plain, else what
 * is left of it with a hash, so that no other name is taken for it.
 */
export function shownName(name: string): string {
  if (/^[\w./:@-]+( [\w./:@-]+)*$/.test(name) && name.length <= MAX_SHOWN) return name;
  const left = plainLineOf(name.replaceAll(/[`"\\]/g, ""), MAX_SHOWN - 8);
  return `${left}~${shortHash(name)}`;
}

/** The names of slash commands that stand for prompts, `server:prompt`. */
export function commandName(server: string, prompt: string): string {
  return `${safeWithin(server, MAX_SERVER)}:${safeWithin(prompt, MAX_NAME - MAX_SERVER)}`;
}
