import type { PromptPart, StopReason } from "../event.ts";
import type { McpServers } from "../../tool/mcp/servers.ts";
import type { Settings, SettingsEvent } from "../settings.ts";

/** What clients show of a command. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What to type behind the name; undefined for a command that takes nothing. */
  readonly hint?: string | undefined;
}

/** What the commands of this program work with: their session, while one of its turns is theirs. */
export interface CommandDesk {
  readonly settings: Settings;
  /** Changes a setting, from the next turn on. */
  change(event: SettingsEvent): void;
  /** What is worth knowing of the session, by name. */
  status(): Promise<readonly (readonly [name: string, value: string])[]>;
  /** Models to choose from, `provider/model`. */
  models(): readonly string[];
  /** `provider/model` of the one in use; undefined where none is set up. */
  model(): Promise<string | undefined>;
  /** Why a model cannot be used, as far as the settings tell; undefined where it can. */
  modelFault(id: string): Promise<string | undefined>;
  readonly mcp: McpServers;
  /** Has the model shorten the conversation. Throws like a turn. */
  compact(): Promise<"done" | "failed" | "nothing">;
  /** Takes back the file changes of the last turn; gives Markdown that says which. Throws like a turn. */
  undo(): Promise<string>;
}

/** A command that this program answers by itself. `run` gives Markdown for the user; the model reads none of it. */
export interface LocalCommand extends CommandInfo {
  run(args: string, desk: CommandDesk): Promise<string> | string;
}

/** A command that stands for a longer prompt. */
export interface PromptCommand extends CommandInfo {
  /** What the model reads in its place. */
  text(args: string): Promise<string> | string;
}

/** Every command that a session has. */
export interface CommandSet {
  readonly local: readonly LocalCommand[];
  readonly prompts: readonly PromptCommand[];
  /** Why some are left out, one line each. */
  readonly faults: readonly string[];
}

/** Who answers a prompt. */
export type Answerer =
  /** `text`, where it is set, is what the model reads in place of the prompt's first part. */
  | { readonly by: "model"; readonly text?: string | undefined }
  | { readonly by: "command"; readonly command: LocalCommand; readonly args: string }
  /** `!command`: bash runs it, and the model reads of it with the next prompt. */
  | { readonly by: "shell"; readonly command: string };

/** How a turn without a model ends. */
export const DONE: StopReason = "end_turn";

/** Finds out who answers a prompt. What begins with a slash and is no command is for the model. */
export async function answererOf(prompt: readonly PromptPart[], commands: CommandSet): Promise<Answerer> {
  const [first, ...others] = prompt;
  if (first?.type !== "text") return { by: "model" };
  const shell = /^\s*!\s*(\S[\s\S]*)$/.exec(first.text)?.[1];
  if (shell !== undefined && others.length === 0) return { by: "shell", command: shell.trimEnd() };
  const [, name, args = ""] = /^\s*\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(first.text) ?? [];
  const local = commands.local.find((c) => c.name === name);
  if (local) return { by: "command", command: local, args: args.trim() };
  const stored = commands.prompts.find((c) => c.name === name);
  return stored ? { by: "model", text: await stored.text(args.trim()) } : { by: "model" };
}
