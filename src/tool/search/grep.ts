import { z } from "zod";
import { MAX_ENTRIES, type SearchRequest, type TextSearch } from "../../bash/search/search.ts";
import { globFilter } from "./globs.ts";
import { absolutePath } from "../file/path.ts";
import {
  argument,
  badPattern,
  presentSearch,
  SEARCH_MS,
  type SearchFacts,
  searchOutcome,
} from "./search_text.ts";
import { defineTool } from "../tool.ts";
import { code } from "../view.ts";

/** Lines, or files, that one call gives without a limit. */
const DEFAULT_LINES = 250;
const DEFAULT_FILES = 100;
/** Lines around a match that are given, however many are asked for. */
const MAX_CONTEXT = 50;

const type = z.string().refine((text) => /^[\w+-]+$/.test(text), "is no name of a type");
const around = z.int().min(0).optional();

const schema = z.object({
  pattern: argument.describe("Regular expression (Rust syntax, no look-around)"),
  path: argument.optional().describe("File or directory (default: the workspace)"),
  glob: argument.optional().describe("Only these files: *.{ts,tsx}, src/**; !*.lock leaves out"),
  type: type.optional().describe("Only this type: ts, py, rust"),
  output_mode: z.enum(["content", "files", "count"]).optional().describe("Default content"),
  context: around.describe("Lines around a match"),
  before: around,
  after: around,
  ignore_case: z.boolean().optional(),
  fixed_strings: z.boolean().optional().describe("Plain text, no regex"),
  multiline: z.boolean().optional().describe("Matches may span lines"),
  head_limit: z.int().min(1).optional().describe(
    `Default ${DEFAULT_LINES} lines, ${DEFAULT_FILES} files`,
  ),
  offset: z.int().min(0).optional().describe("Lines or files to skip"),
});

type Args = z.infer<typeof schema>;

const GIVES: Readonly<Record<NonNullable<Args["output_mode"]>, TextSearch["give"]>> = {
  content: "lines",
  files: "files",
  count: "counts",
};

/** Searches the contents of files. */
export const grep = defineTool<Args, SearchFacts>({
  name: "grep",
  description:
    "Search file contents with ripgrep. Hidden files count; .git, binary files and what .gitignore leaves out do not.",
  schema,
  readsOnly: true,
  async run(args, context) {
    const path = absolutePath(args.path ?? ".", context);
    const request = requestOf(args, path, context.cwd);
    const executor = await context.admit({ kind: "read", path });
    try {
      const result = await executor.search(request, context.signal);
      context.signal.throwIfAborted();
      const unit = request.text?.give === "lines" ? "line" : "file";
      return searchOutcome(result, { skip: request.skip, unit }, context);
    } catch (thrown) {
      return badPattern(thrown, (words) => hintFor(words, args));
    }
  },
  presentCall: (args) => ({
    title: `Grep ${code(args.pattern)}${placeOf(args)}`,
    kind: "search",
    blocks: [],
    locations: [],
  }),
  presentResult: (_args, outcome) => presentSearch(outcome),
});

function placeOf({ path, glob }: Args): string {
  return [path, glob].filter((part) => part !== undefined).map((part) => ` in ${code(part)}`).join("");
}

function requestOf(args: Args, path: string, cwd: string): SearchRequest {
  const { matching, ...filter } = args.glob === undefined ? {} : globFilter(args.glob, path, cwd);
  const give = GIVES[args.output_mode ?? "content"];
  return {
    path,
    ...(matching === undefined ? {} : { matching }),
    text: {
      pattern: args.pattern,
      give,
      before: Math.min(args.before ?? args.context ?? 0, MAX_CONTEXT),
      after: Math.min(args.after ?? args.context ?? 0, MAX_CONTEXT),
      ignoreCase: args.ignore_case ?? false,
      fixed: args.fixed_strings ?? false,
      multiline: args.multiline ?? false,
      ...(args.type === undefined ? {} : { type: args.type }),
      ...filter,
    },
    skip: args.offset ?? 0,
    limit: Math.min(args.head_limit ?? (give === "lines" ? DEFAULT_LINES : DEFAULT_FILES), MAX_ENTRIES),
    timeoutMs: SEARCH_MS,
  };
}

function hintFor(words: string, { fixed_strings }: Args): string {
  if (words.includes("file type")) return "Types are ripgrep's own; use glob instead, such as *.ts.";
  if (words.includes("glob")) return "Mend the glob, or leave it out.";
  if (words.includes("is not allowed in a regex")) return "Set multiline to search across lines.";
  return fixed_strings ? "" : "Escape what is meant as it stands, or set fixed_strings.";
}
