import { type Executor, type FileContent, FileError } from "../../bash/executor_handle.ts";
import { ToolFault } from "../fault.ts";
import { isBinary, looksLike } from "./file_kind.ts";
import { bomBytes, formatOf, type TextFormat } from "./text_format.ts";

/** Files over this many bytes are not edited or overwritten: the model could not hold them anyway. */
export const MAX_TEXT_BYTES: number = 8 * 1024 * 1024;

/** A text file as it stands. */
export interface TextFile {
  /** Without a byte order mark. */
  readonly text: string;
  readonly format: TextFormat;
  /** For the write that is based on it; see `FileStat.version`. */
  readonly version: string;
  /** See {@linkcode contentHash}. */
  readonly hash: string;
}

/** A file that cannot be handled as it is. */
export class UnfitFile extends ToolFault {
  override readonly name = "UnfitFile";
}

/**
 * Reads a whole text file, to change it.
 * @throws FileError as the executor does; UnfitFile for what is no text, is longer than
 * {@linkcode MAX_TEXT_BYTES}, or is read-only.
 */
export async function readTextFile(executor: Executor, path: string): Promise<TextFile> {
  const content = await executor.readFile(path, MAX_TEXT_BYTES);
  const { bytes, size, version, readOnly } = content;
  if (readOnly) {
    throw new UnfitFile(
      `${path} is read-only by its mode.`,
      "If the user wants it changed, use bash: chmod u+w.",
    );
  }
  expectText(path, content);
  if (size > bytes.length) {
    throw new UnfitFile(
      `${path} has ${size} bytes, too many for this tool.`,
      "Use bash with sed or a script.",
    );
  }
  return { text: decodeText(path, bytes), format: formatOf(bytes), version, hash: await contentHash(bytes) };
}

/** The file, or undefined where none is. Other faults are thrown. */
export async function readTextFileIfThere(executor: Executor, path: string): Promise<TextFile | undefined> {
  try {
    return await readTextFile(executor, path);
  } catch (e) {
    if (e instanceof FileError && e.fault === "not-found") return undefined;
    throw e;
  }
}

/** @throws UnfitFile for a binary file, saying what it looks like. */
export function expectText(path: string, { bytes, size }: FileContent): void {
  if (formatOf(bytes).encoding !== "utf-8" || !isBinary(bytes)) return;
  const kind = looksLike(bytes);
  throw new UnfitFile(
    `${path}: binary file, ${size} bytes${kind ? `, looks like ${kind}` : ""}.`,
    "Files of text only; for others use bash (file, xxd, strings, a converter).",
  );
}

/** Bytes to text, strictly, without the byte order mark. @throws UnfitFile */
export function decodeText(path: string, bytes: Uint8Array): string {
  const format = formatOf(bytes);
  const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes.subarray(bomBytes(format)));
  } catch {
    throw notEncoded(path, bytes);
  }
}

/** Why bytes could not be decoded as what they were taken for. */
export function notEncoded(path: string, bytes: Uint8Array): UnfitFile {
  const { encoding } = formatOf(bytes);
  const kind = looksLike(bytes);
  if (encoding !== "utf-8") {
    return new UnfitFile(
      `${path} begins like ${encoding.toUpperCase()} and is none.`,
      "Use bash (file, xxd).",
    );
  }
  if (kind) {
    return new UnfitFile(`${path}: binary file, looks like ${kind}.`, "Use bash (file, xxd, a converter).");
  }
  return new UnfitFile(
    `${path} is not UTF-8 text.`,
    "Read it with bash: iconv -f latin1 -t utf-8 (or what its encoding is).",
  );
}

/** Tells contents apart, whatever the file's times are: what the model saw may be older than an editor's save. */
export async function contentHash(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return new Uint8Array(digest).subarray(0, 16).toHex();
}
