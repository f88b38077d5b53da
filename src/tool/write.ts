import { z } from "zod";
import { changeLocations, diffBlocks, type FileChange, hunksOf } from "./hunks.ts";
import { absolutePath } from "./path.ts";
import { readTextFileIfThere } from "./text_file.ts";
import { defineTool } from "./tool.ts";
import { code } from "./view.ts";

const schema = z.object({
  path: z.string().min(1).describe("File to create or overwrite; relative to the workspace or absolute"),
  content: z.string().describe("The whole new content"),
});

/** Creates a file or replaces its whole content. */
export const write = defineTool<z.infer<typeof schema>, FileChange>({
  name: "write",
  description: "Create a file, or replace its whole content. For small changes use edit.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    const executor = await context.admit({ kind: "edit", path });
    const before = await readTextFileIfThere(executor, path);
    const bytes = new TextEncoder().encode(args.content);
    // The version ties the write to the content that the diff shows: a change in between is noticed.
    await executor.writeFile(path, bytes, before?.version ?? "missing");
    return {
      text: `${before ? "Replaced" : "Created"} ${path} (${bytes.length} bytes).`,
      isError: false,
      facts: before
        ? { path, created: false, hunks: hunksOf(before.text, args.content) }
        : { path, created: true, hunks: [{ oldText: "", newText: args.content, line: 1 }] },
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
