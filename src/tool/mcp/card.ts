import { z } from "zod";
import { defineTool, type Json, type Tool } from "../tool.ts";
import { code, fence, type ResultView } from "../view.ts";
import { MCP_PREFIX, partsOf } from "./names.ts";
import { cut } from "./text.ts";

/** The tool that reads resources. */
export const RESOURCE_TOOL = "mcp_resource";
/** Characters of the arguments in a card; the request for leave shows the same. */
const MAX_ARGS = 3_000;
/** Characters of a result with images in its card: they need the room. */
const MAX_TEXT_BESIDE_IMAGES = 2_000;

/** What the log holds of a call beside its text. */
export interface McpFacts {
  /** As the server calls itself and its tool. */
  readonly server: string;
  readonly tool: string;
}

const anything = z.record(z.string(), z.unknown());

/**
 * How calls of MCP servers look, from their names and the log alone: the servers need not run, nor be known. Undefined
 * for the name of another tool.
 */
export function mcpCard(name: string): Pick<Tool, "schema" | "presentCall" | "presentResult"> | undefined {
  if (name !== RESOURCE_TOOL && !name.startsWith(MCP_PREFIX)) return undefined;
  return defineTool<Record<string, unknown>, McpFacts>({
    name,
    description: "",
    schema: anything,
    readsOnly: false,
    run: () => Promise.reject(new Error("a card runs nothing")),
    presentCall: (args) => ({
      title: titleOf(name, args),
      kind: "other",
      blocks: argumentBlocks(name, args),
      locations: [],
    }),
    presentResult: (_args, { text, facts, images = [] }): ResultView => ({
      title: facts && titleText(facts.server, facts.tool),
      blocks: [
        { type: "text", text: fence(images.length > 0 ? cut(text, MAX_TEXT_BESIDE_IMAGES) : text) },
        ...images.map((image) => ({ type: "image", ...image }) as const),
      ],
    }),
  });
}

/** The facts of a call, as they are logged. */
export function mcpFacts(server: string, tool: string): Json {
  return { server, tool };
}

function titleOf(name: string, args: Record<string, unknown>): string {
  if (name === RESOURCE_TOOL) {
    const of = (value: unknown) => typeof value === "string" ? cut(value, 200) : "";
    return titleText(of(args.server), of(args.uri) || "resources");
  }
  const parts = partsOf(name);
  return parts ? titleText(parts.server, parts.tool) : code(name);
}

function titleText(server: string, tool: string): string {
  return [server, tool].filter((part) => part !== "").map((part) => code(part.replace(/\s+/g, " "))).join(
    " · ",
  );
}

function argumentBlocks(name: string, args: Record<string, unknown>): { type: "text"; text: string }[] {
  if (name === RESOURCE_TOOL || Object.keys(args).length === 0) return [];
  return [{ type: "text", text: fence(cut(JSON.stringify(args, null, 2), MAX_ARGS), "json") }];
}
