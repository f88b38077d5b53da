/**
 * Frames stay under 64 KiB, since some clients' line readers break there. The parts of one frame share it:
 * sizes here are bytes of JSON in UTF-8.
 */
export const CONTENT_BYTES: number = 24 * 1024;
/** Bytes of a card's content with an image in it: such an update carries little else. */
export const IMAGE_BYTES: number = 40 * 1024;
/** Bytes of a command's output in a card without a terminal: such an update carries little else. */
export const CONSOLE_BYTES: number = 52 * 1024;
/** Bytes of what stands above that output. */
export const CAPTION_BYTES: number = 4 * 1024;
/** Bytes of a title; an exact command is rarely longer. */
export const TITLE_BYTES: number = 8 * 1024;
/** Bytes of one path: twice what Linux takes (4096), so that only nonsense is ever clipped. */
export const PATH_BYTES: number = 8 * 1024;
/** Bytes of a tool's name as the model wrote it. */
export const NAME_BYTES = 256;
/** Bytes of `rawInput`. */
export const INPUT_BYTES: number = 12 * 1024;
/** Bytes of one text chunk or one piece of terminal output. */
export const CHUNK_BYTES: number = 48 * 1024;

/** A code unit takes at most six bytes of JSON (`\u0000`). */
const WORST_CASE = 6;
const encoder = new TextEncoder();

/** Bytes that a value takes as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? "").length;
}

/** Splits a text into pieces of at most `max` bytes of JSON, never inside a character. Joined they are the text. */
export function splitText(text: string, max: number = CHUNK_BYTES): string[] {
  if (text.length * WORST_CASE <= max || jsonBytes(text) <= max) return [text];
  const size = Math.floor(max / WORST_CASE);
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = characterEnd(text, at + size);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Keeps start and end of a text within `max` bytes of JSON, and says how much is left out between them. */
export function clip(text: string, max: number): string {
  if (text.length * WORST_CASE <= max || jsonBytes(text) <= max) return text;
  for (let keep = Math.min(text.length, max);; keep = Math.floor(keep * 0.7)) {
    const head = text.slice(0, characterEnd(text, Math.floor(keep * 0.75)));
    const tail = text.slice(characterEnd(text, text.length - Math.floor(keep * 0.25)));
    const left = text.length - head.length - tail.length;
    const clipped = `${head}\n… ${left} characters left out …\n${tail}`;
    if (jsonBytes(clipped) <= max || keep < 16) return clipped;
  }
}

/** The value with its long texts clipped so that it fits into `max` bytes of JSON. */
export function clipValue(value: Record<string, unknown>, max: number): Record<string, unknown> {
  if (jsonBytes(value) <= max) return value;
  for (let limit = max; limit >= 64; limit = Math.floor(limit / 2)) {
    const clipped = clipStrings(value, limit) as Record<string, unknown>;
    if (jsonBytes(clipped) <= max) return clipped;
  }
  return { note: `${jsonBytes(value)} bytes of arguments left out` };
}

function clipStrings(value: unknown, limit: number): unknown {
  if (typeof value === "string") return clip(value, limit);
  if (Array.isArray(value)) return value.map((v) => clipStrings(v, limit));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, clipStrings(v, limit)]));
}

/** Moves an end back where it would cut a surrogate pair. */
function characterEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
