import { join } from "@std/path/join";
import { oneLine, readFrontMatter } from "../guidance/front_matter.ts";
import { type GuidancePlaces, sharedDirectory } from "../guidance/guidance_places.ts";
import type { InstructionPlace } from "../guidance/instructions.ts";
import { readPlainFile } from "../guidance/plain_file.ts";
import type { PromptCommand } from "./command.ts";
import { expand } from "./expand.ts";

/** Commands that were found in files. */
export interface UserCommands {
  readonly commands: readonly PromptCommand[];
  /** Why some were left out, one line each. */
  readonly faults: readonly string[];
}

const MAX_COMMANDS = 100;
/** Entries of one directory that are looked at. */
const MAX_ENTRIES = 400;
const MAX_BYTES = 32 * 1024;
const MAX_DESCRIPTION = 200;
const MAX_HINT = 100;
const FILE_NAME = /^([a-z0-9][a-z0-9_-]{0,63})\.md$/;

/**
 * Reads the commands that stand in Markdown files: the user's own in `commands/` beside the configuration, those of
 * a workspace where its skills are. A file `NAME.md` is the command `NAME`; of two with one name the first in the
 * order of weight counts, and none that is `taken`. They are text for the model and nothing else. Never throws.
 */
export async function readUserCommands(
  { user, chain, roots }: GuidancePlaces,
  taken: ReadonlySet<string>,
): Promise<UserCommands> {
  const commands = new Map<string, PromptCommand>();
  const faults: string[] = [];
  // In order of weight: the user's own, then from the session's directory outwards.
  for (const place of [user, ...chain.toReversed(), ...roots]) {
    const directory = place.from === "user"
      ? join(place.directory, "commands")
      : await sharedDirectory(place.directory, "commands");
    for (const file of await filesIn(directory)) {
      const path = join(directory, file);
      const name = FILE_NAME.exec(file)![1]!;
      if (commands.has(name)) continue;
      const command = await readCommand(path, name, place);
      if (command === undefined) continue;
      if ("fault" in command) faults.push(`${path}: ${command.fault}`);
      else if (taken.has(name)) faults.push(`${path}: /${name} is a command of this program`);
      else if (commands.size < MAX_COMMANDS) commands.set(name, command);
      else faults.push(`${path}: there are more than ${MAX_COMMANDS} commands`);
    }
  }
  return { commands: [...commands.values()], faults };
}

async function filesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let left = MAX_ENTRIES;
    for await (const { name } of Deno.readDir(directory)) {
      if (FILE_NAME.test(name)) names.push(name);
      if (--left === 0) break;
    }
  } catch {
    // There is no such directory: then there are no commands in it.
  }
  return names.sort();
}

/** Undefined for what is no regular file, or may not be shown. */
async function readCommand(
  path: string,
  name: string,
  { from, mayShow }: InstructionPlace,
): Promise<PromptCommand | { readonly fault: string } | undefined> {
  const file = await readPlainFile(path, mayShow, MAX_BYTES);
  if (!file) return undefined;
  if (file.cut > 0) return { fault: `it is larger than ${MAX_BYTES / 1024} KiB` };
  // Hints in the wild look like `[a] [b]`, which is no YAML.
  const head = await readFrontMatter(file.text, ["argument-hint"]) ?? { fields: {}, body: file.text };
  if ("fault" in head) return head;
  const body = head.body.trim();
  if (body === "") return { fault: "there is no text in it" };
  const { description: told, "argument-hint": hint } = head.fields;
  const words = typeof told === "string" && told.trim() !== ""
    ? told
    : body.split("\n")[0]!.replace(/^#+ /, "");
  const description = oneLine(words, MAX_DESCRIPTION);
  return {
    name,
    description: from === "user" ? description : `(workspace) ${description}`,
    ...(typeof hint === "string" && hint !== "" ? { hint: oneLine(hint, MAX_HINT) } : {}),
    text: (args) => expand(body, args),
  };
}
