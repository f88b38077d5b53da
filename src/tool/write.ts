import { z } from "zod";
import type { Executor } from "../bash/executor_handle.ts";
import { changeLocations, diffBlocks, type FileChange, hunksOf } from "./hunks.ts";
import { absolutePath } from "./path.ts";
import { readTextFileIfThere } from "./text_file.ts";
import { defineTool } from "./tool.ts";
import { code } from "./view.ts";

const schema = z.object({
  path: z.string().min(1).describe("File to create or overwrite; relative to the workspace or absolute"),
  content: z.string().describe("The whole new content"),
});

/** A write before it is made: what it changes, and the version of the file that this is true for. */
interface Planned {
  readonly facts: FileChange;
  readonly version: string;
}

async function planned(reader: Executor, path: string, content: string): Promise<Planned> {
  const before = await readTextFileIfThere(reader, path);
  return before
    ? { facts: { path, created: false, hunks: hunksOf(before.text, content) }, version: before.version }
    : {
      facts: { path, created: true, hunks: [{ oldText: "", newText: content, line: 1 }] },
      version: "missing",
    };
}

/** Creates a file or replaces its whole content. */
export const write = defineTool<z.infer<typeof schema>, FileChange>({
  name: "write",
  description: "Create a file, or replace its whole content. For small changes use edit.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    let change: Planned | undefined;
    const plan = async (reader: Executor) => change = await planned(reader, path, args.content);
    const executor = await context.admit(
      { kind: "edit", path },
      async (reader) => diffBlocks((await plan(reader)).facts),
    );
    // What the user has seen and said yes to is what is written, or nothing is.
    const { facts, version } = change ?? await plan(executor);
    const bytes = new TextEncoder().encode(args.content);
    await executor.writeFile(path, bytes, version);
    return {
      text: `${facts.created ? "Created" : "Replaced"} ${path} (${bytes.length} bytes).`,
      isError: false,
      facts,
    };
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
      blocks: diffs.length > 0 ? diffs : [{ type: "text", text: "The file had this content already." }],
      locations: changeLocations(outcome.facts),
    };
  },
});
