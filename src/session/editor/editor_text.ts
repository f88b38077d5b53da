/** Bytes as text, a byte order mark kept; undefined for what is binary or no UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without byte order mark and with LF alone: what editors make of a text when they load it. */
export function plain(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}

/** An editor's text as the file would hold it, with the byte order mark and the line ends of what is on disk. */
export function inFileForm(text: string, disk: string): string {
  const mark = disk.startsWith("\uFEFF") && !text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return mark + (isCrlf(disk) && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text);
}

/** A file's text as the editor speaks of it, given its own text of the file and the disk's. */
export function inEditorForm(text: string, own: string, disk: string): string {
  const unmarked = disk.startsWith("\uFEFF") && !own.startsWith("\uFEFF")
    ? text.replace(/^\uFEFF/, "")
    : text;
  return disk.includes("\r\n") && !own.includes("\r") ? unmarked.replaceAll("\r\n", "\n") : unmarked;
}

/** True where every line ends with CRLF. */
export function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

/** Share of words that formatting may add or take away. */
const FORMATTING = 0.1;

/** Could `found` be `wanted` after an editor formatted it on saving? The words stay then, but for a few. */
export function isFormatted(found: string, wanted: string): boolean {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [word] of wanted.matchAll(WORD)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  for (const [word] of found.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) - 1);
  const different = counts.values().reduce((sum, count) => sum + Math.abs(count), 0);
  return different <= total * FORMATTING;
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** Tells texts apart. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

/** A version of a file that was seen through the editor: what it held, and the disk's own version. */
export interface EditorVersion {
  readonly hash: string;
  readonly disk: string;
}

/** As one string, for tools, which only pass it back. */
export function formatVersion({ hash, disk }: EditorVersion): string {
  return `editor:${hash}:${disk}`;
}

/** Undefined for a version that came from the disk alone. */
export function parseVersion(version: string | undefined): EditorVersion | undefined {
  const [, hash, disk] = /^editor:([0-9a-f]{64}):(.*)$/s.exec(version ?? "") ?? [];
  return hash === undefined || disk === undefined ? undefined : { hash, disk };
}
