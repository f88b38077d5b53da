import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { ToolFault } from "../../../src/tool/fault.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import { contentHash, decodeText } from "../../../src/tool/file/text_file.ts";
import { encodeText, type TextFormat } from "../../../src/tool/file/text_format.ts";
import type { Outcome, ToolContext } from "../../../src/tool/tool.ts";
import type { Block, Location } from "../../../src/tool/view.ts";
import { FakeExecutor } from "../../support/fake_executor.ts";

const PATH = "/w/f.txt";
const tools = builtinTools();

/** An executor whose one file is held as bytes. */
class OneFile extends FakeExecutor {
  constructor(public bytes: Uint8Array) {
    super();
  }
  override readFile() {
    return Promise.resolve({ bytes: this.bytes, size: this.bytes.length, version: this.bytes.join() });
  }
  override writeFile(_path: string, bytes: Uint8Array, ifVersion?: string) {
    assertEquals(ifVersion, this.bytes.join(), "a write is bound to what was read");
    this.bytes = bytes;
    return Promise.resolve({ version: bytes.join() });
  }
}

async function call(file: OneFile, name: string, args: unknown): Promise<Outcome> {
  const parsed = tools.parse(name, JSON.stringify(args));
  assert(parsed.ok);
  const hash = await contentHash(file.bytes);
  const context = { cwd: "/w", seen: () => hash, admit: () => Promise.resolve(file) };
  try {
    return await parsed.tool.run(parsed.args, context as unknown as ToolContext);
  } catch (thrown) {
    if (thrown instanceof ToolFault) return thrown.outcome();
    throw thrown;
  }
}

/** Lines of context that may stand above a hunk's first changed line. */
const CONTEXT = 3;

/**
 * What a client that trusts the card can make of the file: each block in order, no higher above its location than
 * its context is. In a text that repeats itself there may be several such places.
 */
function applied(text: string, blocks: readonly Block[], locations: readonly Location[], from = 0): string[] {
  const [block, ...rest] = blocks;
  if (!block) return [text];
  assert(block.type === "diff" && block.oldText !== undefined && block.path === PATH);
  const { oldText, newText } = block;
  const [{ line } = {}, ...further] = locations;
  const starts = Array.from({ length: CONTEXT + 1 }, (_, above) => startOf(text, line! - above))
    .filter((at) => at !== undefined && at >= from && text.startsWith(oldText, at));
  assert(starts.length > 0, `no place near line ${line} for ${JSON.stringify(oldText)}`);
  return starts.flatMap((at) =>
    applied(
      text.slice(0, at) + newText + text.slice(at! + oldText.length),
      rest,
      further,
      at! + newText.length,
    )
  );
}

/** Where a 1-based line begins. */
function startOf(text: string, line: number): number | undefined {
  const lines = text.split("\n");
  if (line < 1 || line > lines.length) return undefined;
  return lines.slice(0, line - 1).reduce((at, l) => at + l.length + 1, 0);
}

const line = fc.constantFrom("a", "b", "  indented", "", "é🙂", "const x = 1;", "a b a");
const ends = fc.constantFrom("\n", "\r\n");
const text = fc.tuple(fc.array(line, { maxLength: 60 }), ends, fc.boolean()).map(([lines, end, last]) =>
  lines.join(end) + (last && lines.length > 0 ? end : "")
);
const format = fc.constantFrom<TextFormat>(
  { encoding: "utf-8", bom: false },
  { encoding: "utf-8", bom: true },
  { encoding: "utf-16le", bom: true },
);
const replacement = fc.record({
  old_string: fc.oneof(
    fc.constantFrom("a", "b", "x", "a\nb", "🙂", "  ", "\n\n"),
    fc.tuple(line, line).map((l) => l.join("\n")),
  ).filter((t) => t !== ""),
  new_string: fc.oneof(line, fc.tuple(line, line, line).map((l) => l.join("\n"))),
  replace_all: fc.boolean(),
});

function present(name: string, args: unknown, outcome: Outcome) {
  return tools.presentResult(name, JSON.stringify(args), JSON.parse(JSON.stringify(outcome)), { cwd: "/w" });
}

Deno.test("the card of an edit, applied to the old file, gives the new one; a refused edit changes nothing", async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      text,
      format,
      fc.array(replacement, { minLength: 1, maxLength: 3 }),
      async (before, format, edits) => {
        const file = new OneFile(encodeText(before, format));
        const old = file.bytes;
        const [first, ...more] = edits;
        const args = { path: PATH, ...first, ...(more.length > 0 ? { edits: more } : {}) };
        const outcome = await call(file, "edit", args);
        if (outcome.isError) return assertEquals(file.bytes, old);
        made++;
        const { blocks = [], locations = [] } = present("edit", args, outcome);
        const after = decodeText(PATH, file.bytes);
        assertEquals(file.bytes, encodeText(after, format), "encoding and byte order mark stay");
        assert(applied(before, blocks, locations).includes(after), JSON.stringify({ before, after, blocks }));
        if (before.includes("\n") && !/(?<!\r)\n/.test(before)) assertEquals(/(?<!\r)\n/.test(after), false);
      },
    ),
    { numRuns: 600 },
  );
  assert(made > 30, `only ${made} edits could be made`);
});

Deno.test("the card of a write over a file, applied to the old file, gives the new one", async () => {
  await fc.assert(
    fc.asyncProperty(text, format, text, async (before, format, content) => {
      const file = new OneFile(encodeText(before, format));
      const args = { path: PATH, content };
      const outcome = await call(file, "write", args);
      assertEquals(outcome.isError, false);
      const after = decodeText(PATH, file.bytes);
      assertEquals(after.replaceAll("\r\n", "\n"), content.replaceAll("\r\n", "\n"));
      assertEquals(file.bytes, encodeText(after, format));
      const { blocks = [], locations = [] } = present("write", args, outcome);
      if (after === before) return assertEquals(blocks.map((b) => b.type), ["text"]);
      assert(applied(before, blocks, locations).includes(after), JSON.stringify({ before, after, blocks }));
    }),
    { numRuns: 400 },
  );
});
