import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MAX_TEXT_BYTES } from "../../../src/tool/file/text_file.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import type { Outcome, ToolContext } from "../../../src/tool/tool.ts";
import { FakeExecutor } from "../../support/fake_executor.ts";

/** An executor with one file of bytes, read in parts; `onRange` is called before each further part. */
class LargeFile extends FakeExecutor {
  version = "1";
  ranges = 0;
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly onRange: (file: LargeFile) => void = () => {},
  ) {
    super();
  }
  override readFile() {
    return Promise.resolve(this.#part(0, MAX_TEXT_BYTES));
  }
  override readRange(_path: string, from: number, maxBytes: number) {
    this.ranges++;
    this.onRange(this);
    return Promise.resolve(this.#part(from, maxBytes));
  }
  #part(from: number, maxBytes: number) {
    return { bytes: this.bytes.slice(from, from + maxBytes), size: this.bytes.length, version: this.version };
  }
}

async function read(
  file: FakeExecutor,
  args: object,
  signal = new AbortController().signal,
): Promise<Outcome> {
  const parsed = builtinTools().parse("read", JSON.stringify({ path: "/w/f", ...args }));
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const context = { cwd: "/w", signal, admit: () => Promise.resolve(file) };
  return await parsed.tool.run(parsed.args, context as unknown as ToolContext);
}

/** Three bytes a character and one for each line break: some character stands over every boundary of parts. */
const LARGE = new TextEncoder().encode(`${"€".repeat(7)}\n`.repeat(1_000_000));

Deno.test("read finds a line behind the first part, whose boundary cuts a character", async () => {
  const file = new LargeFile(LARGE);
  const { text, isError, facts } = await read(file, { offset: 900_000, limit: 1 });
  assertEquals([isError, text], [
    false,
    `900000\t${"€".repeat(7)}\n[100000 more lines: read again with offset 900001]`,
  ]);
  assertEquals(
    facts,
    { shown: `${"€".repeat(7)}\n… 100000 more lines …` },
    "the model has not seen all of it",
  );
});

Deno.test("read goes no further into a file than it must", async () => {
  const file = new LargeFile(LARGE);
  const { text } = await read(file, { limit: 1 });
  assertEquals([file.ranges, text.split("\n")[1]], [0, "[more lines: read again with offset 2]"]);
});

Deno.test("read does not mix two states of a file", async () => {
  const file = new LargeFile(LARGE, (f) => f.version = "2");
  await assertRejects(() => read(file, { offset: 900_000 }), Error, "changed while it was read");
});

Deno.test("read stops between two parts when the user cancels", async () => {
  const stop = new AbortController();
  const file = new LargeFile(LARGE, () => stop.abort());
  await assertRejects(() => read(file, { offset: 999_999 }, stop.signal), DOMException);
  assertEquals(file.ranges, 1);
});

Deno.test("read takes line 0 for the first, and tells what the model has seen", async () => {
  const file = new FakeExecutor();
  file.files.set("/w/f", "one\ntwo");
  const { text, facts } = await read(file, { offset: 0 });
  assertEquals(text, "     1\tone\n     2\ttwo");
  assertStringIncludes(JSON.stringify(facts), '"seen":{"path":"/w/f","hash":"');
});
