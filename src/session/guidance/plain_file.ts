import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** What was read of a file that somebody else may have put there. */
export interface PlainFile {
  /** Real path of what was read. */
  readonly real: string;
  readonly text: string;
  /** Bytes that were left out at the end. */
  readonly cut: number;
}

/** Decides by a real path whether what stands there may be shown to the model. */
export type MayShow = (real: string) => boolean;

/** Never waits for a FIFO, never follows a link that was put there after the path was resolved. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads at most `maxBytes` of a regular file, in the agent's own process, which may read more than the model:
 * what was really opened is asked for, so that a link that changes meanwhile gains nothing. Invalid UTF-8
 * becomes U+FFFD. Undefined for anything else than a regular file that may be shown. Never throws.
 */
export async function readPlainFile(
  path: string,
  mayShow: MayShow,
  maxBytes: number,
): Promise<PlainFile | undefined> {
  let file: FileHandle | undefined;
  try {
    const real = await Deno.realPath(path);
    if (!mayShow(real)) return undefined;
    file = await open(real, FLAGS);
    const info = await file.stat();
    if (!info.isFile() || !await isStillAt(real, file)) return undefined;
    const bytes = await readUpTo(file, maxBytes);
    const cut = Math.max(0, info.size - bytes.length);
    // A character that is cut in two is left out too.
    const text = new TextDecoder().decode(bytes, { stream: cut > 0 });
    return { real, text, cut };
  } catch {
    return undefined; // no such file, or one that may not be read: the session works without it
  } finally {
    await file?.close().catch(() => {});
  }
}

/** Is the opened file the one at this path, with no symlink on the way? Linux tells; elsewhere it is looked up again. */
async function isStillAt(real: string, file: FileHandle): Promise<boolean> {
  if (Deno.build.os === "linux") return await Deno.readLink(`/proc/self/fd/${file.fd}`) === real;
  const [opened, there] = [await file.stat(), await Deno.lstat(real)];
  return await Deno.realPath(real) === real && opened.ino === there.ino && opened.dev === there.dev;
}

async function readUpTo(file: FileHandle, limit: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await file.read(buffer, length, limit - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
