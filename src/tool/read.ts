import { z } from "zod";
import { absolutePath } from "./path.ts";
import { readTextFile } from "./text_file.ts";
import { defineTool, type Outcome } from "./tool.ts";
import { code, fence } from "./view.ts";

/** Lines that one call gives without a limit. */
const DEFAULT_LINES = 2000;
/** Characters of a line that are shown. */
const MAX_LINE = 2000;
/** Characters of a whole result. */
const MAX_TEXT = 64 * 1024;

const schema = z.object({
  path: z.string().min(1).describe("File to read; relative to the workspace or absolute"),
  offset: z.int().min(1).optional().describe("First line, 1-based"),
  limit: z.int().min(1).optional().describe(`Number of lines (default ${DEFAULT_LINES})`),
});

/** What the card shows: the lines without their numbers. */
type ReadFacts = { shown: string; line: number };

/** Reads a text file, numbered by line. */
export const read = defineTool<z.infer<typeof schema>, ReadFacts>({
  name: "read",
  description: "Read a text file with line numbers. Use offset and limit for parts of long files.",
  schema,
  readsOnly: true,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    const executor = await context.admit({ kind: "read", path });
    const { text } = await readTextFile(executor, path);
    return excerpt(text, args.offset ?? 1, args.limit ?? DEFAULT_LINES);
  },
  presentCall: (args, place) => {
    const path = absolutePath(args.path, place);
    return {
      title: `Read ${code(args.path)}`,
      kind: "read",
      blocks: [],
      locations: [{ path, line: args.offset }],
    };
  },
  presentResult: (_args, outcome) => ({
    blocks: outcome.facts
      ? [{ type: "text", text: fence(outcome.facts.shown) }]
      : [{ type: "text", text: outcome.text }],
  }),
});

/** The asked-for lines, numbered for the model and plain for the card. */
function excerpt(text: string, offset: number, limit: number): Outcome {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) {
    return { text: "[the file is empty]", isError: false, facts: { shown: "", line: 1 } };
  }
  if (offset > lines.length) {
    return { text: `The file has ${lines.length} lines; offset ${offset} is past its end.`, isError: true };
  }
  const numbered: string[] = [];
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const cut = cutLine(line.replace(/\r$/, ""));
    size += cut.length + 8;
    if (size > MAX_TEXT && shown.length > 0) break;
    numbered.push(`${String(offset + shown.length).padStart(6)}\t${cut}`);
    shown.push(cut);
  }
  const next = offset + shown.length;
  const rest = lines.length - next + 1;
  if (rest > 0) numbered.push(`[${rest} more lines: read again with offset ${next}]`);
  return {
    text: numbered.join("\n"),
    isError: false,
    facts: { shown: shown.join("\n") + (rest > 0 ? `\n… ${rest} more lines …` : ""), line: offset },
  };
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE
    ? line
    : `${line.slice(0, MAX_LINE)}… [${line.length - MAX_LINE} more characters in this line]`;
}
