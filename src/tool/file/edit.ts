import { z } from "zod";
import type { Executor } from "../../bash/executor_handle.ts";
import { type ChangeFacts, makeChange, type PlannedChange, shownChange } from "./change.ts";
import { changeLocations, diffBlocks, hunksOf } from "./hunks.ts";
import { withNearNames } from "./missing_file.ts";
import { absolutePath } from "./path.ts";
import { applyReplacements, EditFault, type Replacement } from "./replace.ts";
import { readTextFile } from "./text_file.ts";
import { encodeText } from "./text_format.ts";
import { defineTool } from "../tool.ts";
import { type Block, code } from "../view.ts";

const one = {
  old_string: z.string().describe("Text to replace, exactly as in the file, enough of it to be unique"),
  new_string: z.string().describe("Text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace every occurrence"),
};
const schema = z.object({
  path: z.string().min(1).describe("File to change; relative to the workspace or absolute"),
  old_string: one.old_string.optional(),
  new_string: one.new_string.optional(),
  replace_all: one.replace_all,
  edits: z.array(z.object(one)).min(1).optional().describe(
    "More replacements: all are made, in order, or none",
  ),
});
type EditArgs = z.infer<typeof schema>;

/** Lines that a result names at most. */
const MAX_NAMED = 20;

/** An edit before it is made. */
interface Planned extends PlannedChange {
  /** The file is not as the model saw it last. */
  readonly changedSince: boolean;
}

/** Replaces text in a file. */
export const edit = defineTool<EditArgs, ChangeFacts>({
  name: "edit",
  description:
    "Replace text in a file. old_string must match exactly and once (or set replace_all); read the file first, and leave out the line numbers.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    const wish = {
      path,
      replacements: replacementsOf(args),
      top: args.old_string === undefined ? 0 : 1,
      seen: context.seen(path),
    };
    let change: Planned | undefined;
    const plan = async (reader: Executor) => change = await planned(reader, wish);
    const executor = await context.admit(
      { kind: "edit", path },
      async (reader) => diffBlocks(shownChange(await plan(reader))),
    );
    // What the user has seen and said yes to is what is written, or nothing is.
    change ??= await plan(executor);
    const facts = await makeChange(executor, change);
    return { text: report(change), isError: false, facts };
  },
  presentCall: (args, place) => ({
    title: `Edit ${code(args.path)}`,
    kind: "edit",
    blocks: callBlocks(args, absolutePath(args.path, place)),
    locations: [{ path: absolutePath(args.path, place) }],
  }),
  presentResult: (_args, outcome) =>
    outcome.facts
      ? { blocks: diffBlocks(outcome.facts), locations: changeLocations(outcome.facts) }
      : { blocks: [{ type: "text", text: outcome.text }] },
});

/** Before the file is known the card shows the replaced texts alone. */
function callBlocks(args: EditArgs, path: string): Block[] {
  return given(args).map((r) => ({ type: "diff", path, oldText: r.old_string, newText: r.new_string }));
}

function replacementsOf(args: EditArgs): Replacement[] {
  if ((args.old_string === undefined) !== (args.new_string === undefined)) {
    throw new EditFault(
      "Both old_string and new_string are needed (new_string may be empty).",
      "",
      "Not changed: the model gave only half of a replacement.",
    );
  }
  const all = given(args);
  if (all.length === 0) {
    throw new EditFault(
      "There is nothing to replace: give old_string and new_string, or edits.",
      "",
      "Not changed: the model gave no replacement.",
    );
  }
  return all;
}

function given({ old_string, new_string, replace_all, edits = [] }: EditArgs): Replacement[] {
  return old_string === undefined || new_string === undefined
    ? edits
    : [{ old_string, new_string, replace_all }, ...edits];
}

interface Wish {
  readonly path: string;
  readonly replacements: readonly Replacement[];
  /** How many of them stood at the top of the arguments. */
  readonly top: number;
  /** Hash of what the model saw of the file last. */
  readonly seen: string | undefined;
}

async function planned(reader: Executor, { path, replacements, top, seen }: Wish): Promise<Planned> {
  const { text, format, version, hash } = await withNearNames(reader, path, () => readTextFile(reader, path));
  const after = applyReplacements(text, replacements, top);
  return {
    path,
    created: false,
    hunks: hunksOf(text, after),
    bytes: encodeText(after, format),
    version,
    known: seen === hash,
    changedSince: seen !== undefined && seen !== hash,
  };
}

function report({ path, hunks, changedSince }: Planned): string {
  const named = hunks.slice(0, MAX_NAMED).map((h) => h.line).join(", ");
  const lines = `line${hunks.length === 1 ? "" : "s"} ${named}${hunks.length > MAX_NAMED ? ", …" : ""}`;
  const places = `${hunks.length} place${hunks.length === 1 ? "" : "s"}`;
  const done = `Changed ${path} in ${places} (${lines}).`;
  return changedSince
    ? `${done} Note: somebody else had changed the file since you saw it last. Read it before you go on.`
    : done;
}
