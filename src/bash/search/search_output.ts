import { concat } from "../../sandbox/bytes.ts";
import { MAX_LINE_TEXT, type SearchEntry } from "./search.ts";

/** Bytes of a record that are kept; a longer one is told of as far as it goes. */
const MAX_RECORD = 4 * 1024 * 1024;

const NUL = 0;
const NEWLINE = 10;

/** Takes an entry whose path is as ripgrep wrote it. */
export type TakeEntry = (entry: SearchEntry) => void;

/** Reads what ripgrep writes, bytes as they come. What is broken or cut is left out. */
export type SearchReader = (bytes: Uint8Array) => void;

/** Paths that end with NUL. */
export function pathReader(take: TakeEntry): SearchReader {
  return records([NUL], ([path]) => take({ path: decode(path!.bytes) }));
}

/** Paths that end with NUL, each with a number and a line's end. */
export function countReader(take: TakeEntry): SearchReader {
  return records([NUL, NEWLINE], ([path, count]) => {
    const number = Number(decode(count!.bytes));
    if (Number.isSafeInteger(number)) take({ path: decode(path!.bytes), count: number });
  });
}

/** ripgrep's messages in JSON, one a line. */
export function lineReader(take: TakeEntry): SearchReader {
  return records([NEWLINE], ([line]) => {
    const { bytes, isWhole } = line!;
    if (isWhole) linesOf(decode(bytes)).forEach(take);
    else longLine(decode(bytes.subarray(0, 64 * 1024)), take);
  });
}

interface RecordPart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Cuts bytes into records of as many parts as there are `ends`, each ended by its byte. */
function records(ends: readonly number[], take: (parts: readonly RecordPart[]) => void): SearchReader {
  let done: RecordPart[] = [];
  let pieces: Uint8Array[] = [];
  let [size, isWhole] = [0, true];
  const keep = (piece: Uint8Array) => {
    const room = piece.subarray(0, MAX_RECORD - size);
    isWhole &&= room.length === piece.length;
    if (room.length === 0) return;
    pieces.push(room);
    size += room.length;
  };
  return (bytes) => {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(ends[done.length]!, from);
      if (at < 0) return keep(bytes.slice(from));
      keep(bytes.subarray(from, at));
      done.push({ bytes: pieces.length === 1 ? pieces[0]! : concat(pieces, size), isWhole });
      [pieces, size, isWhole, from] = [[], 0, true, at + 1];
      if (done.length < ends.length) continue;
      const parts = done;
      done = [];
      take(parts);
    }
  };
}

/** Text, or bytes where it is no UTF-8. */
interface Data {
  readonly text?: string;
  readonly bytes?: string;
}

interface Message {
  readonly type: string;
  readonly data: {
    readonly path: Data;
    readonly lines: Data;
    readonly line_number: number | null;
    readonly submatches: readonly { readonly start: number }[];
  };
}

function linesOf(json: string): SearchEntry[] {
  const { type, data } = JSON.parse(json) as Message;
  if (type !== "match" && type !== "context") return [];
  const path = textOf(data.path);
  const lines = textOf(data.lines).replace(/\n$/, "").split("\n");
  const start = characters(data.lines, data.submatches[0]?.start ?? 0);
  return lines.map((line, i) => ({
    path,
    ...(data.line_number === null ? {} : { line: data.line_number + i }),
    text: cutLine(line.replace(/\r$/, ""), i === 0 ? start : 0),
    ...(type === "context" ? { context: true } : {}),
  }));
}

/** The beginning of a message that is too long to be kept: the file is known, the line is not. */
function longLine(beginning: string, take: TakeEntry): void {
  const found = beginning.match(/^\{"type":"match","data":\{"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\})/);
  if (found) take({ path: textOf(JSON.parse(found[1]!)), text: "[a match in a very long line]" });
}

function textOf({ text, bytes }: Data): string {
  return text ?? decode(Uint8Array.fromBase64(bytes ?? ""));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Where the byte `at` stands in the text. */
function characters({ text, bytes }: Data, at: number): number {
  if (at <= MAX_LINE_TEXT / 2) return 0; // it is shown anyway
  const all = text === undefined ? Uint8Array.fromBase64(bytes ?? "") : new TextEncoder().encode(text);
  return decode(all.subarray(0, at)).length;
}

/** The part of a line around its match, with marks that say how much is left out. */
export function cutLine(line: string, match: number): string {
  if (line.length <= MAX_LINE_TEXT) return line;
  const wished = Math.min(match - MAX_LINE_TEXT / 4, line.length - MAX_LINE_TEXT);
  const from = wholeFrom(line, Math.max(0, Math.floor(wished)));
  const to = wholeFrom(line, from + MAX_LINE_TEXT);
  const before = from > 0 ? `[${from} characters] …` : "";
  const after = to < line.length ? `… [${line.length - to} more characters]` : "";
  return before + line.slice(from, to) + after;
}

/** Not between the halves of a character. */
function wholeFrom(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at + 1 : at;
}
