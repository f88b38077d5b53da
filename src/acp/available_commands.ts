import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { CAPTION_BYTES, clip, CONSOLE_BYTES, jsonBytes } from "../presentation/bounds.ts";
import type { CommandInfo } from "../session/slash/command.ts";

/** The commands as a client is told of them, as many as go into one message. */
export function availableCommandsOf(commands: readonly CommandInfo[]): AvailableCommand[] {
  const told: AvailableCommand[] = [];
  let left = CONSOLE_BYTES;
  for (const { name, description, hint } of commands) {
    const command: AvailableCommand = {
      name,
      description: clip(description, CAPTION_BYTES),
      ...(hint === undefined ? {} : { input: { hint: clip(hint, CAPTION_BYTES) } }),
    };
    left -= jsonBytes(command);
    if (left < 0) break;
    told.push(command);
  }
  return told;
}
