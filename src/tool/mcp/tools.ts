import { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { ModelNames, shownName } from "./names.ts";
import { outcomeOf } from "./result.ts";
import { safeSchema } from "./schema.ts";
import type { McpServer } from "./server.ts";
import { plainText } from "./text.ts";

/** Tools of all servers together: providers take 128 in all. */
const MAX_TOOLS = 100;
/** Characters of what the model is told of all of them: it is sent with each request. */
const MAX_TOLD = 96 * 1024;
/** Characters of one description. */
const MAX_DESCRIPTION = 1_500;

const anything = z.record(z.string(), z.unknown());

/** The tools of all servers, as many as the model can be told of; `notes` tell of those that are left out. */
export function toolsOf(
  servers: readonly McpServer[],
): { readonly tools: readonly Tool[]; readonly notes: readonly string[] } {
  const names = new ModelNames();
  const made = servers.map((server) =>
    server.offered.tools.map((tool) => toolOf(server, tool, names.take(server.spec.name, tool.name)))
  );
  const shares = fairShares(made.map((tools) => tools.map(toldOf)));
  const notes = servers.flatMap((server, i) => {
    const [all, share] = [made[i]!.length, shares[i]!];
    if (share === all) return [];
    return [
      `The MCP server \`${server.name}\` has ${all} tools: ${
        all - share
      } are left out, since the model cannot be told of so many.`,
    ];
  });
  return { tools: made.flatMap((tools, i) => tools.slice(0, shares[i])), notes };
}

/** How many of its tools each server may have: one each in turn, so that a large server leaves room for others. */
function fairShares(sizes: readonly (readonly number[])[]): number[] {
  const shares = sizes.map(() => 0);
  let [tools, told] = [MAX_TOOLS, MAX_TOLD];
  for (let round = 0, goes = true; goes; round++) {
    goes = false;
    for (const [i, own] of sizes.entries()) {
      const size = own[round];
      if (size === undefined || shares[i] !== round || tools === 0 || size > told) continue;
      [tools, told] = [tools - 1, told - size];
      shares[i] = round + 1;
      goes = true;
    }
  }
  return shares;
}

function toldOf({ name, description, jsonSchema }: Tool): number {
  return name.length + description.length + JSON.stringify(jsonSchema).length;
}

/** A tool of a server. What the server says of its harmlessness counts for nothing. */
function toolOf(
  server: McpServer,
  { name, description, inputSchema }: McpServer["offered"]["tools"][number],
  modelName: string,
): Tool {
  const { schema, note } = safeSchema(inputSchema);
  const tool = shownName(name);
  const about = server.redact(plainText(description ?? "", MAX_DESCRIPTION));
  return defineTool({
    name: modelName,
    description: [about || `The tool ${tool} of the MCP server ${server.name}.`, note].filter(Boolean).join(
      "\n",
    ),
    schema: anything,
    jsonSchema: schema,
    readsOnly: false,
    async run(args, context) {
      await context.permit({ kind: "mcp", server: server.name, tool, trusted: server.spec.trusted });
      const result = await server.callTool(name, args, context);
      const { hasResources } = server.offered;
      return outcomeOf(result, { server: server.name, tool, hasResources, redact: server.redact });
    },
  });
}
