import { z } from "zod";
import type { ToolSpec } from "../model/model.ts";
import { askUser } from "./ask/ask_user.ts";
import { bash } from "./bash/bash.ts";
import { edit } from "./file/edit.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { fetch } from "./fetch/fetch.ts";
import { jobKill } from "./job/job_kill.ts";
import { jobOutput } from "./job/job_output.ts";
import { mcpCard } from "./mcp/card.ts";
import { plan } from "./plan.ts";
import { plainLine } from "./plain_line.ts";
import { read } from "./file/read.ts";
import { subagent } from "./subagent.ts";
import { problemIn, ToolFault } from "./fault.ts";
import type { Json, Outcome, Place, Tool } from "./tool.ts";
import { type CallView, code, fence, type ResultView } from "./view.ts";
import { write } from "./file/write.ts";

/** A call whose arguments were read and checked. */
export type ParsedCall<T = Tool> =
  | { readonly ok: true; readonly tool: T; readonly args: unknown }
  /** What is wrong, and how to mend it. */
  | { readonly ok: false; readonly fault: ToolFault };

/** The tools that a session has, by name. */
export class ToolRegistry {
  readonly #own: ReadonlyMap<string, Tool>;
  readonly #further: () => readonly Tool[];

  /** `further` gives those that come and go (MCP servers'), as they are now; a name that is taken is taken. */
  constructor(tools: readonly Tool[], further: () => readonly Tool[] = () => []) {
    this.#own = new Map(tools.map((t) => [t.name, t]));
    this.#further = further;
  }

  /** The same tools, and further ones. */
  with(further: () => readonly Tool[]): ToolRegistry {
    return new ToolRegistry([...this.#own.values()], further);
  }

  get #tools(): ReadonlyMap<string, Tool> {
    const further = this.#further();
    if (further.length === 0) return this.#own;
    return new Map([
      ...this.#own,
      ...further.filter((t) => !this.#own.has(t.name)).map((t) => [t.name, t] as const),
    ]);
  }

  /** The tools as the model is told of them, in a stable order. */
  specs(): ToolSpec[] {
    return [...this.#tools.values()].map((t) => ({
      name: t.name,
      description: t.description,
      schema: t.jsonSchema ?? compactSchema(z.toJSONSchema(t.schema, { io: "input" }) as Json),
    }));
  }

  /** May this call run side by side with its like? */
  readsOnly(name: string, args: string): boolean {
    const { readsOnly = false } = this.#tools.get(name) ?? {};
    if (typeof readsOnly === "boolean") return readsOnly;
    const parsed = this.parse(name, args);
    return parsed.ok && readsOnly(parsed.args);
  }

  /** The same with some tools left out. */
  only(keep: (tool: Tool) => boolean): ToolRegistry {
    return new ToolRegistry([...this.#own.values()].filter(keep), () => this.#further().filter(keep));
  }

  /** Are clients told of calls of this tool? */
  hasCard(name: string): boolean {
    return this.#tools.get(name)?.card !== "none";
  }

  /** Reads a call's arguments: JSON as the model wrote it, never repaired. Does not throw. */
  parse(name: string, args: string): ParsedCall {
    const tools = this.#tools;
    const tool = tools.get(name);
    if (tool) return readCall(tool, args);
    return faulty(`There is no tool "${name}".`, `Tools: ${[...tools.keys()].join(", ")}.`);
  }

  /** What is to be logged with a call for the sake of its card. Never rejects. */
  async classify(name: string, args: string, place: Place): Promise<Json | undefined> {
    const parsed = this.parse(name, args);
    try {
      return parsed.ok ? await parsed.tool.classify?.(parsed.args, place) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * The card of a call; a call that cannot be read, or a tool that shows nothing, gets the generic card.
   * `logged`: what `classify` gave when the call was logged.
   */
  presentCall(name: string, args: string, place: Place, logged?: Json): CallView {
    const parsed = this.#shown(name, args);
    const view = parsed?.ok ? parsed.tool.presentCall?.(parsed.args, place, logged) : undefined;
    return view ?? { title: code(name), kind: "other", blocks: [], locations: [] };
  }

  /** The card of a call that has ended. */
  presentResult(name: string, args: string, outcome: Outcome, place: Place): ResultView {
    if (outcome.notRun) return notRunView(outcome.notRun, this.presentCall(name, args, place));
    const problem = problemIn(outcome);
    if (problem !== undefined) return problemView(problem);
    const parsed = this.#shown(name, args);
    const view = parsed?.ok ? resultView(parsed, outcome, place) : undefined;
    return view ?? { blocks: [{ type: "text", text: outcome.text }] };
  }

  /** A call as it is shown. Those of MCP servers look the same whether the server runs or not. */
  #shown(name: string, args: string): ParsedCall<ShownTool> | undefined {
    const tool = this.#own.get(name) ?? mcpCard(name);
    return tool && readCall(tool, args);
  }
}

/** What of a tool its cards need. */
type ShownTool = Pick<Tool, "schema" | "presentCall" | "presentResult">;

/** Reads a call's arguments: JSON as the model wrote it, never repaired. Does not throw. */
function readCall<T extends ShownTool>(tool: T, args: string): ParsedCall<T> {
  const value = parseObject(args);
  if (value === undefined) return faulty("The arguments are not a valid JSON object.", AGAIN);
  const checked = tool.schema.safeParse(value);
  if (checked.success) return { ok: true, tool, args: checked.data };
  return faulty(`Wrong arguments: ${checked.error.issues.map(issueText).join("; ")}.`, AGAIN);
}

/** A log of another version may hold facts of another shape: such a call gets the generic card. */
function resultView(
  { tool, args }: Extract<ParsedCall<ShownTool>, { ok: true }>,
  outcome: Outcome,
  place: Place,
): ResultView | undefined {
  try {
    return tool.presentResult?.(args, outcome as never, place);
  } catch {
    return undefined;
  }
}

/** What was wanted stays to be seen: it is what the user said no to. */
function notRunView(why: "refused" | "cancelled", { blocks }: CallView): ResultView {
  const text = why === "refused" ? "Refused." : "Cancelled.";
  return { blocks: [...blocks, { type: "text", text }], exitNote: text, terminalNote: `… ${text} …\n` };
}

/** It may hold a path, or words of another program: none of it is Markdown. */
function problemView(problem: string): ResultView {
  const text = problem.includes("\n") ? fence(problem) : plainLine(problem, problem.length);
  return { blocks: [{ type: "text", text }], exitNote: text, terminalNote: `${problem}\n` };
}

const AGAIN = "Nothing was run; call the tool again.";

function faulty(what: string, advice: string): Extract<ParsedCall, { ok: false }> {
  return { ok: false, fault: new ToolFault(what, advice, `Not run. ${what}`) };
}

/** One thing that is wrong with arguments. */
function issueText({ path, code, message, ...more }: z.core.$ZodIssue): string {
  const name = path.join(".") || "arguments";
  // zod says "expected string, received undefined", which is more than there is to say.
  if (code === "invalid_type" && message.endsWith("received undefined")) return `${name} is missing`;
  if (code === "too_small" && "origin" in more && more.origin === "string") return `${name} is empty`;
  return `${name}: ${message}`;
}

/** The tools that every session has. */
export function builtinTools(): ToolRegistry {
  return new ToolRegistry([
    ...[bash, jobOutput, jobKill],
    ...[read, write, edit, glob, grep],
    ...[fetch, subagent],
    ...[plan, askUser],
  ]);
}

/** Arguments as an object, for `rawInput`; what is no JSON object is kept as text. */
export function rawArguments(args: string): Record<string, unknown> {
  return parseObject(args) ?? { arguments: args };
}

/** Some servers send nothing at all for a call without arguments. */
function parseObject(args: string): Record<string, unknown> | undefined {
  try {
    if (depthOf(args) > MAX_DEPTH) return undefined;
    const value: unknown = JSON.parse(args.trim() === "" ? "{}" : args);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

/** Objects and arrays within each other in arguments; what writes them out again ends at some thousands. */
const MAX_DEPTH = 100;

/** How deep a JSON text is nested. */
function depthOf(json: string): number {
  let [depth, deepest, quoted] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const c = json[at];
    if (quoted && c === "\\") at++;
    else if (c === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (c === "{" || c === "[") deepest = Math.max(deepest, ++depth);
    else if (c === "}" || c === "]") depth--;
  }
  return deepest;
}

/** Drops what a model does not need: the dialect, and the bounds that zod adds to every integer. */
function compactSchema(schema: Json): Record<string, unknown> {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([k, v]) =>
      k !== "$schema" && !(k === "maximum" && v === Number.MAX_SAFE_INTEGER)
    );
    return Object.fromEntries(kept.map(([k, v]) => [k, strip(v)]));
  };
  return strip(schema) as Record<string, unknown>;
}
