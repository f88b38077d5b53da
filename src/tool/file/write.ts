import { z } from "zod";
import type { Executor } from "../../bash/executor_handle.ts";
import { type ChangeFacts, makeChange, type PlannedChange, shownChange } from "./change.ts";
import { changeLocations, diffBlocks, hunksOf } from "./hunks.ts";
import { absolutePath } from "./path.ts";
import { readTextFileIfThere, type TextFile, UnfitFile } from "./text_file.ts";
import { encodeText, formatNote, lineEndsOf, PLAIN, withLineEnds } from "./text_format.ts";
import { defineTool } from "../tool.ts";
import { code } from "../view.ts";

const schema = z.object({
  path: z.string().min(1).describe("File to create or overwrite; relative to the workspace or absolute"),
  content: z.string().describe("The whole new content"),
});

/** A write before it is made, with what the model would not expect of it. */
type Planned = PlannedChange & { readonly note: string };

/** Creates a file or replaces its whole content. */
export const write = defineTool<z.infer<typeof schema>, ChangeFacts>({
  name: "write",
  description:
    "Create a file, or replace its whole content; one that exists must have been read. For small changes use edit.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    let change: Planned | undefined;
    const plan = async (reader: Executor) =>
      change = await planned(reader, { path, content: args.content, seen: context.seen(path) });
    const executor = await context.admit(
      { kind: "edit", path },
      async (reader) => diffBlocks(shownChange(await plan(reader))),
    );
    // What the user has seen and said yes to is what is written, or nothing is.
    change ??= await plan(executor);
    const facts = await makeChange(executor, change);
    return { text: report(change), isError: false, facts };
  },
  presentCall: (args, place) => {
    const path = absolutePath(args.path, place);
    return {
      title: `Write ${code(args.path)}`,
      kind: "edit",
      blocks: [{ type: "diff", path, newText: args.content }],
      locations: [{ path }],
    };
  },
  presentResult: (_args, outcome) => {
    if (!outcome.facts) return { blocks: [{ type: "text", text: outcome.text }] };
    const diffs = diffBlocks(outcome.facts);
    return {
      blocks: diffs.length > 0 ? diffs : [{ type: "text", text: "Unchanged: it had this content already." }],
      locations: changeLocations(outcome.facts),
    };
  },
});

interface Wish {
  readonly path: string;
  readonly content: string;
  /** Hash of what the model saw of the file last. */
  readonly seen: string | undefined;
}

async function planned(reader: Executor, wish: Wish): Promise<Planned> {
  const { path, content } = wish;
  if (!content.isWellFormed()) throw new UnfitFile("content holds half of a character (a lone surrogate).");
  const before = await readTextFileIfThere(reader, path);
  return before ? overwriting(before, wish) : {
    path,
    created: true,
    hunks: [{ oldText: "", newText: content, line: 1 }],
    bytes: encodeText(content, PLAIN),
    version: "missing",
    known: true,
    note: "",
  };
}

/** The file's encoding stays; its CRLF line ends too, unless the new content has some of its own. */
function overwriting(before: TextFile, { path, content, seen }: Wish): Planned {
  const ends = lineEndsOf(before.text);
  const kept = ends === "crlf" && lineEndsOf(content) === "lf" ? "crlf" : "none";
  const after = (kept === "crlf" ? withLineEnds(content, "crlf") : content).replace(/^\uFEFF/, "");
  if (after !== before.text && before.text !== "" && seen !== before.hash) {
    throw new UnfitFile(
      seen === undefined
        ? `${path} exists, and you have not read it: read it first, then write. Nothing was written.`
        : `${path} has changed since you saw it last: read it again, then write. Nothing was written.`,
      "",
      seen === undefined
        ? "Not written: the file exists, and the model has not read it."
        : "Not written: the file has changed since the model read it.",
    );
  }
  return {
    path,
    created: false,
    hunks: hunksOf(before.text, after),
    bytes: encodeText(after, before.format),
    version: before.version,
    known: true,
    note: formatNote(before.format, kept),
  };
}

function report({ path, created, hunks, bytes, note }: Planned): string {
  if (!created && hunks.length === 0) return `${path} has this content already: nothing was written.`;
  const kept = note === "" ? "" : ` Kept as it was: ${note}.`;
  return `${created ? "Created" : "Replaced"} ${path} (${bytes.length} bytes).${kept}`;
}
