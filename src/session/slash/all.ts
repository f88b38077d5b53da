import { type GuidanceInput, placesOf } from "../guidance/guidance_places.ts";
import { BUILTIN_COMMANDS } from "./builtin.ts";
import type { CommandSet, LocalCommand, PromptCommand } from "./command.ts";
import { MCP_COMMAND } from "./mcp.ts";
import { readUserCommands } from "./user_commands.ts";

/** What this program answers by itself. */
const LOCAL: readonly LocalCommand[] = [...BUILTIN_COMMANDS, MCP_COMMAND];

/**
 * Every command of a session as the files stand now, and `ofServers`, the prompts of its MCP servers. Of the same
 * name this program's own win, then the files'. Never throws.
 */
export async function readCommands(
  input: GuidanceInput,
  ofServers: readonly PromptCommand[],
): Promise<CommandSet> {
  const taken = new Set(LOCAL.map(({ name }) => name));
  const { commands, faults } = await readUserCommands(await placesOf(input), taken);
  const further = ofServers.filter(({ name }) => !commands.some((command) => command.name === name));
  return { local: LOCAL, prompts: [...commands, ...further], faults };
}
