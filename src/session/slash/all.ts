import { type GuidanceInput, placesOf } from "../guidance_places.ts";
import { BUILTIN_COMMANDS } from "./builtin.ts";
import type { CommandSet } from "./command.ts";
import { readUserCommands } from "./user_commands.ts";

/** Every command of a session as the files stand now; this program's own win over those of the same name. Never throws. */
export async function readCommands(input: GuidanceInput): Promise<CommandSet> {
  const taken = new Set(BUILTIN_COMMANDS.map(({ name }) => name));
  const { commands, faults } = await readUserCommands(await placesOf(input), taken);
  return { local: BUILTIN_COMMANDS, prompts: commands, faults };
}
