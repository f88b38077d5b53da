import type { McpServers, ServerStatus } from "../../tool/mcp/servers.ts";
import { plainLine } from "../../tool/plain_line.ts";
import { code } from "../../tool/view.ts";
import type { LocalCommand } from "./command.ts";

/** Shows the session's MCP servers, or starts one anew. */
export const MCP_COMMAND: LocalCommand = {
  name: "mcp",
  description: "Show the MCP servers and how they are, or start one anew",
  hint: "restart NAME",
  run: async (args, { mcp }) => {
    const servers = mcp.status();
    if (args === "") return servers.length === 0 ? NONE : listed(servers);
    const name = /^restart\s+(.+)$/.exec(args)?.[1]?.trim();
    if (name === undefined) return `${code(args)} is not known: write ${code("/mcp restart NAME")}.`;
    return await restarted(name, mcp);
  },
};

/** Characters of a cause. */
const MAX_CAUSE = 600;
const NONE =
  "There are no MCP servers. They come from the editor's settings, or from `mcpServers` in the config file.";

async function restarted(name: string, mcp: McpServers): Promise<string> {
  if (!await mcp.restart(name)) {
    const names = mcp.status().map((s) => code(s.name)).join(", ");
    return `There is no MCP server ${code(name)}${names === "" ? "" : `; the servers are ${names}`}.`;
  }
  return listed(mcp.status().filter((s) => s.name === name));
}

function listed(servers: readonly ServerStatus[]): string {
  return servers.map((server) => `- ${code(server.name)} (${server.how}): ${stateText(server)}`).join("\n");
}

function stateText({ state, cause, tools, prompts, hasResources }: ServerStatus): string {
  switch (state) {
    case "starting":
      return "starting";
    case "closed":
      return "closed";
    case "down":
      return `down – ${plainLine(cause ?? "no cause is known", MAX_CAUSE)}`;
    case "ready":
      return [
        `ready, ${count(tools, "tool")}`,
        ...(prompts > 0 ? [count(prompts, "prompt")] : []),
        ...(hasResources ? ["resources"] : []),
      ].join(", ");
  }
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
