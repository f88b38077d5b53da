import { z } from "zod";
import { type Executor, type FileContent, FileError, type Listing } from "../../bash/executor_handle.ts";
import { imageTypeOf, MAX_IMAGE_BYTES } from "./file_kind.ts";
import { LineWindow, numbered } from "./line_window.ts";
import { withNearNames } from "./missing_file.ts";
import { absolutePath } from "./path.ts";
import { seenAs } from "./seen.ts";
import { contentHash, expectText, MAX_TEXT_BYTES, notEncoded } from "./text_file.ts";
import { bomBytes, formatNote, formatOf, lineEndsOf } from "./text_format.ts";
import { defineTool, type Json, type Outcome } from "../tool.ts";
import { type Block, code, fence } from "../view.ts";

/** Lines that one call gives without a limit. */
const DEFAULT_LINES = 2000;
/** Bytes of a file that are gone through for lines; a search that far in costs about a minute. */
const MAX_SCAN = 512 * 1024 * 1024;
/** Characters of a directory's entries. */
const MAX_LISTING = 32 * 1024;

const schema = z.object({
  path: z.string().min(1).describe("File or directory; relative to the workspace or absolute"),
  offset: z.int().min(0, "lines are counted from 1").optional().describe("First line, 1-based"),
  limit: z.int().min(1).optional().describe(`Number of lines (default ${DEFAULT_LINES})`),
});
type ReadArgs = z.infer<typeof schema>;

/** What the card shows: the text without line numbers. */
type ReadFacts = { readonly shown: string };

/** Reads lines of a text file, the entries of a directory, or an image. */
export const read = defineTool<ReadArgs, ReadFacts>({
  name: "read",
  description:
    "Read a text file with line numbers (offset and limit for parts of long files), a directory's entries, or an image.",
  schema,
  readsOnly: true,
  async run(args, context) {
    const path = absolutePath(args.path, context);
    const executor = await context.admit({ kind: "read", path });
    const start = await withNearNames(executor, path, () => startOf(executor, path));
    if ("entries" in start) return listed(path, start);
    const mimeType = imageTypeOf(start.bytes);
    if (mimeType) return image(path, start, mimeType);
    expectText(path, start);
    return await excerpt({ executor, path, start, signal: context.signal }, args);
  },
  presentCall: (args, place) => ({
    title: `Read ${code(args.path)}${linesOf(args)}`,
    kind: "read",
    blocks: [],
    locations: [{ path: absolutePath(args.path, place), line: args.offset || undefined }],
  }),
  presentResult: (args, outcome, place) => ({
    blocks: resultBlocks(absolutePath(args.path, place), outcome),
  }),
});

function linesOf({ offset, limit }: ReadArgs): string {
  const first = offset || 1;
  if (limit !== undefined) return ` lines ${first}-${first + limit - 1}`;
  return first > 1 ? ` from line ${first}` : "";
}

function resultBlocks(path: string, { text, facts, images }: Outcome & { facts?: ReadFacts }): Block[] {
  const [picture] = images ?? [];
  if (picture) return [{ type: "image", ...picture, path }];
  return [{ type: "text", text: facts ? fence(facts.shown) : text }];
}

async function startOf(executor: Executor, path: string): Promise<FileContent | Listing> {
  try {
    return await executor.readFile(path, MAX_TEXT_BYTES);
  } catch (e) {
    if (e instanceof FileError && e.fault === "is-directory") return await executor.list(path);
    throw e;
  }
}

const MARKS = { directory: "/", link: "@", file: "", other: "?" } as const;

function listed(path: string, { entries, more }: Listing): Outcome {
  let size = 0;
  const names = entries.map(({ name, kind }) => visible(name) + MARKS[kind])
    .filter((name) => (size += name.length + 1) <= MAX_LISTING);
  const rest = entries.length - names.length + more;
  const shown = [...names, ...(rest > 0 ? [`[${rest} more entries: use bash with ls or find]`] : [])].join(
    "\n",
  );
  return {
    text: entries.length === 0
      ? `${path} is an empty directory.`
      : `${path} is a directory (/ marks directories, @ links):\n${shown}`,
    isError: false,
    facts: { shown: entries.length === 0 ? "(empty)" : shown },
  };
}

/** Names may hold line breaks; one line is one entry. */
function visible(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}

function image(path: string, { bytes, size }: FileContent, mimeType: string): Outcome {
  const kind = mimeType.slice("image/".length).toUpperCase();
  if (size > MAX_IMAGE_BYTES) {
    return {
      text: `${path}: ${kind} image of ${size} bytes; at most ${MAX_IMAGE_BYTES} can be looked at. ` +
        "Make a smaller copy with bash (e.g. magick IN -resize 1600x OUT) and read that.",
      isError: true,
    };
  }
  return {
    text: `${path}: ${kind} image, ${size} bytes.`,
    isError: false,
    images: [{ mimeType, data: bytes.toBase64() }],
  };
}

/** A text file whose start was read. */
interface Opened {
  readonly executor: Executor;
  readonly path: string;
  readonly start: FileContent;
  readonly signal: AbortSignal;
}

/** The asked-for lines, numbered for the model and plain for the card. */
async function excerpt(file: Opened, args: ReadArgs): Promise<Outcome> {
  const { path, start } = file;
  const offset = args.offset || 1;
  const window = new LineWindow(offset, args.limit ?? DEFAULT_LINES);
  const { scanned, ends } = await scan(file, window);
  const whole = scanned >= start.size;
  if (window.lines.length === 0) return nothing(path, window.total, { offset, whole });
  const next = offset + window.lines.length;
  const rest = whole ? window.total - next + 1 : undefined;
  const left = rest === undefined ? "more lines" : rest === 1 ? "1 more line" : `${rest} more lines`;
  const note = formatNote(formatOf(start.bytes), ends);
  const text = [
    ...window.lines.map((line, i) => numbered(line, offset + i)),
    ...(rest === 0 ? [] : [`[${left}: read again with offset ${next}]`]),
    ...(note === "" ? [] : [`[${note}; edit and write keep that]`]),
  ].join("\n");
  const shown = window.lines.join("\n") + (rest === 0 ? "" : `\n… ${left} …`);
  const seen: Json = start.bytes.length === start.size ? seenAs(path, await contentHash(start.bytes)) : {};
  return { text, isError: false, facts: { shown, ...seen } };
}

/** Goes through the file until the lines are picked, the file or the patience is over. */
async function scan(
  { executor, path, start, signal }: Opened,
  window: LineWindow,
): Promise<{ scanned: number; ends: ReturnType<typeof lineEndsOf> }> {
  const format = formatOf(start.bytes);
  const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw notEncoded(path, start.bytes);
    }
  };
  const isWhole = start.bytes.length >= start.size;
  const first = decode(start.bytes.subarray(bomBytes(format)), !isWhole);
  window.push(first);
  let scanned = start.bytes.length;
  while (scanned < start.size && !window.full && scanned < MAX_SCAN) {
    signal.throwIfAborted();
    const { bytes, version } = await executor.readRange(path, scanned, MAX_TEXT_BYTES);
    if (version !== start.version || bytes.length === 0) {
      throw new FileError("changed", `${path} changed while it was read: read it again.`);
    }
    scanned += bytes.length;
    window.push(decode(bytes, scanned < start.size));
  }
  if (scanned >= start.size) window.end();
  return { scanned, ends: lineEndsOf(first) };
}

function nothing(
  path: string,
  total: number,
  { offset, whole }: { readonly offset: number; readonly whole: boolean },
): Outcome {
  if (!whole) {
    return {
      text:
        `Line ${offset} lies behind the first ${MAX_SCAN} bytes of ${path}: use bash with sed -n or tail.`,
      isError: true,
    };
  }
  if (total > 0) {
    return { text: `${path} has ${total} lines; offset ${offset} is past its end.`, isError: true };
  }
  return { text: "[the file is empty]", isError: false, facts: { shown: "(empty)" } };
}
