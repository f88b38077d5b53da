import type { McpServerConfig } from "../config/config.ts";
import { AgentError } from "../errors.ts";

/**
 * The MCP servers that a client opens a session with. None of them is trusted: that only the user's own configuration
 * says. Of several of one name the first counts.
 * @throws AgentError("invalid-params") that names what is wrong.
 */
export function mcpServersOf(servers: unknown): McpServerConfig[] {
  if (servers === undefined || servers === null) return [];
  if (!Array.isArray(servers)) throw invalid("must be a list of servers");
  const read = servers.map(readServer);
  return read.filter((server, i) => read.findIndex((s) => s.name === server.name) === i);
}

function readServer(value: unknown): McpServerConfig {
  const { type, name, command, args, env, url, headers } = (value ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || name === "") throw invalid("must be a list of servers, each with a name");
  const config = (transport: McpServerConfig["transport"]) => ({ name, transport, trusted: false });
  if (type === "http" || type === "sse") {
    if (typeof url !== "string") throw invalid(`has no url for "${name}"`);
    return config({ kind: type, url, headers: pairs(headers, `headers of "${name}"`) });
  }
  if (type !== undefined && type !== "stdio") {
    throw invalid(
      `has a server "${name}" of the type ${JSON.stringify(type)}: there are stdio, http and sse`,
    );
  }
  if (typeof command !== "string") throw invalid(`has no command for "${name}"`);
  const words = args ?? [];
  if (!Array.isArray(words) || !words.every((word) => typeof word === "string")) {
    throw invalid(`has args of "${name}" that are no texts`);
  }
  return config({ kind: "stdio", command, args: words, env: pairs(env, `env of "${name}"`) });
}

function pairs(value: unknown, what: string): Record<string, string> {
  const list = value ?? [];
  const isPair = (p: unknown): p is { name: string; value: string } =>
    typeof (p as { name?: unknown } | null)?.name === "string" &&
    typeof (p as { value?: unknown } | null)?.value === "string";
  if (!Array.isArray(list) || !list.every(isPair)) {
    throw invalid(`has ${what} that are no pairs of name and value`);
  }
  return Object.fromEntries(list.map((pair) => [pair.name, pair.value]));
}

function invalid(what: string): AgentError {
  return new AgentError("invalid-params", `\`mcpServers\` ${what}.`);
}
