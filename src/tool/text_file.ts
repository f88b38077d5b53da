import { type Executor, FileError } from "../bash/executor_handle.ts";

/** Files over this many bytes are not edited or read whole: the model could not hold them anyway. */
export const MAX_TEXT_BYTES: number = 8 * 1024 * 1024;

/** A text file as it stands. A byte order mark stays in `text`, so that writing `text` back changes nothing. */
export interface TextFile {
  readonly text: string;
  readonly version: string;
}

/** A file that is there but is no text this program can handle; the message is for the model. */
export class NotText extends Error {
  override readonly name = "NotText";
}

/**
 * Reads a whole text file.
 * @throws FileError as the executor does; NotText for binary content and for files over {@linkcode MAX_TEXT_BYTES}.
 */
export async function readTextFile(executor: Executor, path: string): Promise<TextFile> {
  const { bytes, size, version } = await executor.readFile(path, MAX_TEXT_BYTES);
  if (size > bytes.length) {
    throw new NotText(
      `${path} has ${size} bytes, too many for this tool: use bash with head, tail, sed or grep.`,
    );
  }
  return { text: decodeText(path, bytes), version };
}

/** UTF-8 to text, strictly. @throws NotText */
export function decodeText(path: string, bytes: Uint8Array): string {
  if (bytes.subarray(0, 8192).includes(0)) throw new NotText(`${path} is a binary file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotText(`${path} is not UTF-8 text. Convert it with bash (iconv) first.`);
  }
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
