import { z } from "zod";
import { globSearch } from "./globs.ts";
import { absolutePath } from "../file/path.ts";
import { MAX_ENTRIES } from "../../bash/search/search.ts";
import { argument, presentSearch, SEARCH_MS, type SearchFacts, searchOutcome } from "./search_text.ts";
import { defineTool } from "../tool.ts";
import { code } from "../view.ts";

/** Files that one call gives without a limit. */
const DEFAULT_LIMIT = 100;

const schema = z.object({
  pattern: argument.describe("Such as **/*.ts or src/{a,b}/*.ts; without a slash it matches at any depth"),
  path: argument.optional().describe("Directory to search (default: the workspace)"),
  head_limit: z.int().min(1).optional().describe(`Default ${DEFAULT_LIMIT}`),
  offset: z.int().min(0).optional().describe("Files to skip, for the next page"),
});

/** Finds files by their names. */
export const glob = defineTool<z.infer<typeof schema>, SearchFacts>({
  name: "glob",
  description:
    "Find files by a glob pattern, last changed first. Hidden files count; .git and what .gitignore leaves out do not.",
  schema,
  readsOnly: true,
  async run(args, context) {
    const { root, matching } = globSearch(args.pattern, absolutePath(args.path ?? ".", context));
    const skip = args.offset ?? 0;
    const executor = await context.admit({ kind: "read", path: root });
    const request = {
      path: root,
      matching,
      skip,
      limit: Math.min(args.head_limit ?? DEFAULT_LIMIT, MAX_ENTRIES),
      timeoutMs: SEARCH_MS,
    };
    const result = await executor.search(request, context.signal);
    context.signal.throwIfAborted();
    return searchOutcome(result, { skip, unit: "file" }, context);
  },
  presentCall: (args) => ({
    title: `Find ${code(args.pattern)}${args.path === undefined ? "" : ` in ${code(args.path)}`}`,
    kind: "search",
    blocks: [],
    locations: [],
  }),
  presentResult: (_args, outcome) => presentSearch(outcome),
});
