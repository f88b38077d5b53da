import { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { mcpFacts, RESOURCE_TOOL } from "./card.ts";
import { Pictures } from "./pictures.ts";
import { MAX_RESULT, resourceText } from "./result.ts";
import type { McpServer } from "./server.ts";
import { plainLineOf, resultText } from "./text.ts";

/** What grants and rules call it: the name of no tool, since such a name would get a hash. */
const RESOURCES = "(resources)";
/** Resources that one list tells of. */
const MAX_LISTED = 200;
const MAX_LINE = 300;

const schema = z.object({
  server: z.string(),
  uri: z.string().optional().describe("Without it: lists what there is"),
});

/** The tool that reads resources; undefined where no server has any. */
export function resourceTool(servers: readonly McpServer[]): Tool | undefined {
  const having = servers.filter((server) => server.offered.hasResources);
  if (having.length === 0) return undefined;
  const names = having.map((server) => server.name).join(", ");
  return defineTool<z.infer<typeof schema>>({
    name: RESOURCE_TOOL,
    description: `Lists or reads the resources of an MCP server: ${names}.`,
    schema,
    readsOnly: false,
    async run({ server: name, uri }, context) {
      const server = having.find((s) => s.name === name);
      if (!server) {
        return { text: `There is no server "${name}" with resources. There are: ${names}.`, isError: true };
      }
      await context.permit({
        kind: "mcp",
        server: server.name,
        tool: RESOURCES,
        trusted: server.spec.trusted,
      });
      const pictures = new Pictures();
      const text = uri === undefined
        ? listText(await server.listResources(context))
        : resourceText(await server.readResource(uri, context), pictures);
      return {
        text: resultText(server.redact(text), MAX_RESULT) || "(It is empty.)",
        isError: false,
        facts: mcpFacts(server.name, uri === undefined ? "resources" : plainLineOf(uri, MAX_LINE)),
        images: pictures.images,
      };
    },
  });
}

function listText({ resources, templates }: Awaited<ReturnType<McpServer["listResources"]>>): string {
  const lines = resources.slice(0, MAX_LISTED).map(({ uri, name, description }) => {
    const about = description ? ` – ${plainLineOf(description, MAX_LINE)}` : "";
    return `${plainLineOf(uri, MAX_LINE)} (${plainLineOf(name, MAX_LINE)})${about}`;
  });
  const more = resources.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [`[${more} more are not listed]`] : []),
    ...templates.slice(0, MAX_LISTED).map((pattern) => `pattern: ${plainLineOf(pattern, MAX_LINE)}`),
  ].join("\n") || "There are none.";
}
