import { z } from "zod";
import type { Executor } from "../bash/executor_handle.ts";
import { changeLocations, diffBlocks, type FileChange, hunksOf } from "./hunks.ts";
import { absolutePath } from "./path.ts";
import { readTextFile } from "./text_file.ts";
import { defineTool, type Place } from "./tool.ts";
import { type Block, code } from "./view.ts";

const one = {
  old_string: z.string().min(1).describe(
    "Text to replace, exactly as in the file, enough of it to be unique",
  ),
  new_string: z.string().describe("Text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace every occurrence"),
};
const schema = z.object({
  path: z.string().min(1).describe("File to change; relative to the workspace or absolute"),
  old_string: one.old_string.optional(),
  new_string: one.new_string.optional(),
  replace_all: one.replace_all,
  edits: z.array(z.object(one)).min(1).optional().describe(
    "Several replacements, made in order, all or none",
  ),
});
type EditArgs = z.infer<typeof schema>;

/** One replacement. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** Why a replacement cannot be made; the message is for the model. */
export class EditFault extends Error {
  override readonly name = "EditFault";
}

/** An edit before it is made: what it changes, and the version of the file that this is true for. */
interface Planned {
  readonly facts: FileChange;
  readonly after: string;
  readonly version: string;
}

async function planned(
  reader: Executor,
  path: string,
  replacements: readonly Replacement[],
): Promise<Planned> {
  const { text, version } = await readTextFile(reader, path);
  const after = applyReplacements(text, replacements);
  return { facts: { path, created: false, hunks: hunksOf(text, after) }, after, version };
}

/** Replaces text in a file. */
export const edit = defineTool<EditArgs, FileChange>({
  name: "edit",
  description:
    "Replace text in a file. old_string must match exactly and once (or set replace_all); read the file first. Give one replacement, or several in edits.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    const replacements = replacementsOf(args);
    let change: Planned | undefined;
    const plan = async (reader: Executor) => change = await planned(reader, path, replacements);
    const executor = await context.admit(
      { kind: "edit", path },
      async (reader) => diffBlocks((await plan(reader)).facts),
    );
    // What the user has seen and said yes to is what is written, or nothing is.
    const { facts, after, version } = change ?? await plan(executor);
    await executor.writeFile(path, new TextEncoder().encode(after), version);
    const lines = facts.hunks.map((h) => h.line).join(", ");
    return {
      text: `Changed ${path} in ${facts.hunks.length} place${
        facts.hunks.length === 1 ? "" : "s"
      } (line ${lines}).`,
      isError: false,
      facts,
    };
  },
  presentCall: (args, place) => ({
    title: `Edit ${code(args.path)}`,
    kind: "edit",
    blocks: callBlocks(args, place),
    locations: [{ path: absolutePath(args.path, place) }],
  }),
  presentResult: (_args, outcome) =>
    outcome.facts
      ? { blocks: diffBlocks(outcome.facts), locations: changeLocations(outcome.facts) }
      : { blocks: [{ type: "text", text: outcome.text }] },
});

/** Before the file is known the card shows the replaced texts alone. */
function callBlocks(args: EditArgs, place: Place): Block[] {
  const path = absolutePath(args.path, place);
  const all = args.edits ??
    (args.old_string !== undefined && args.new_string !== undefined
      ? [{ old_string: args.old_string, new_string: args.new_string }]
      : []);
  return all.map((r) => ({ type: "diff", path, oldText: r.old_string, newText: r.new_string }));
}

function replacementsOf(args: EditArgs): Replacement[] {
  const single = args.old_string !== undefined || args.new_string !== undefined;
  if (args.edits && !single) return args.edits;
  if (!args.edits && args.old_string !== undefined && args.new_string !== undefined) {
    return [{ old_string: args.old_string, new_string: args.new_string, replace_all: args.replace_all }];
  }
  throw new EditFault(
    args.edits
      ? "Give either old_string and new_string or edits, not both."
      : "Both old_string and new_string are needed.",
  );
}

/**
 * Makes all replacements in order, or none. Where the file has CRLF line ends and `old_string` has LF, the
 * file's line ends are meant and kept.
 * @throws EditFault that says which replacement cannot be made and what to do.
 */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((current, replacement, i) => {
    const which = replacements.length > 1 ? `edits[${i}]: ` : "";
    return applyOne(current, replacement, which);
  }, text);
}

function applyOne(text: string, { old_string, new_string, replace_all }: Replacement, which: string): string {
  if (old_string === new_string) throw new EditFault(`${which}old_string and new_string are the same.`);
  const [before, after] = text.includes(old_string) || !text.includes("\r\n")
    ? [old_string, new_string]
    : [crlf(old_string), crlf(new_string)];
  const count = text.split(before).length - 1;
  if (count === 0) {
    throw new EditFault(`${which}old_string was not found. Read the file again and copy the text exactly.`);
  }
  if (count > 1 && !replace_all) {
    throw new EditFault(
      `${which}old_string was found ${count} times. Add lines around it to make it unique, or set replace_all.`,
    );
  }
  // A function, since a replacement text may hold `$&` and its like.
  return replace_all ? text.replaceAll(before, () => after) : text.replace(before, () => after);
}

function crlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
