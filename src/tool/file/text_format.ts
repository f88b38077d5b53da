/** How a text stands in its file. */
export interface TextFormat {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  /** Does it begin with a byte order mark? */
  readonly bom: boolean;
}

/** What a new file gets. */
export const PLAIN: TextFormat = { encoding: "utf-8", bom: false };

/** Read from a file's first bytes; without a byte order mark it is taken for UTF-8. Pure. */
export function formatOf(bytes: Uint8Array): TextFormat {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", bom: true };
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { encoding: "utf-16le", bom: true };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", bom: true };
  return PLAIN;
}

/** Bytes of the byte order mark. */
export function bomBytes({ encoding, bom }: TextFormat): number {
  return !bom ? 0 : encoding === "utf-8" ? 3 : 2;
}

/** The bytes of a text without byte order mark. Pure. */
export function encodeText(text: string, { encoding, bom }: TextFormat): Uint8Array {
  const whole = bom ? `\uFEFF${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(whole);
  const bytes = new Uint8Array(whole.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < whole.length; i++) view.setUint16(i * 2, whole.charCodeAt(i), encoding === "utf-16le");
  return bytes;
}

/** The line ends of a text: of one kind, `mixed`, or `none` where it has no line break. */
export type LineEnds = "lf" | "crlf" | "mixed" | "none";

/** Pure. */
export function lineEndsOf(text: string): LineEnds {
  const all = count(text, "\n");
  const crlf = count(text, "\r\n");
  return all === 0 ? "none" : crlf === 0 ? "lf" : crlf === all ? "crlf" : "mixed";
}

/** The text with these line ends. Pure. */
export function withLineEnds(text: string, ends: "lf" | "crlf"): string {
  return text.replace(/\r?\n/g, ends === "lf" ? "\n" : "\r\n");
}

/** What of a format is worth telling, since nobody expects it; empty for plain UTF-8 with LF. */
export function formatNote({ encoding, bom }: TextFormat, ends: LineEnds): string {
  const mark = encoding !== "utf-8" ? encoding.toUpperCase() : bom ? "UTF-8 with byte order mark" : "";
  const breaks = ends === "crlf" ? "CRLF line ends" : ends === "mixed" ? "mixed line ends" : "";
  return [mark, breaks].filter((part) => part !== "").join(", ");
}

function count(text: string, part: string): number {
  let n = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) n++;
  return n;
}
