import type { ReadOutcome } from "../sandbox/read_file.ts";
import { delay } from "./leftovers.ts";
import { FileError } from "./executor_handle.ts";

/** Milliseconds after which opening a file is given up: something was swapped for a FIFO under our hands. */
const OPEN_DEADLINE_MS = 10_000;
/** Milliseconds between two looks at what stands there while it does not open. */
const OPEN_LOOK_MS = 200;
const READ_CHUNK = 256 * 1024;

/** Reads a regular file where there are no system calls to do it by (macOS). */
export async function readByDeno(path: string, from: number, maxBytes: number): Promise<ReadOutcome> {
  using file = await openInTime(path);
  const info = await file.stat();
  if (!info.isFile) return { kind: info.isDirectory ? "directory" : "other" };
  if (from > 0) await file.seek(from, Deno.SeekMode.Start);
  const bytes = await readUpTo(file, Math.min(maxBytes, info.size - from), maxBytes);
  return { kind: "file", bytes, size: Math.max(info.size, bytes.length === 0 ? 0 : from + bytes.length) };
}

/** Opens a file; gives up when it turns out to be no regular file any more, which would never open. */
async function openInTime(path: string): Promise<Deno.FsFile> {
  const opened = Deno.open(path, { read: true });
  for (let waited = 0; waited < OPEN_DEADLINE_MS; waited += OPEN_LOOK_MS) {
    const file = await Promise.race([opened, delay(OPEN_LOOK_MS)]);
    if (file !== undefined) return file;
    if (!(await Deno.stat(path)).isFile) break;
  }
  void opened.then((file) => file.close(), () => {});
  throw new FileError("not-regular", `${path} did not open: it is no regular file any more`);
}

/** Reads on past `expected`, up to `limit`: files of some file systems tell a size of 0. */
async function readUpTo(file: Deno.FsFile, expected: number, limit: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(Math.min(limit, Math.max(expected, 0) + 1));
  let size = 0;
  while (size < limit) {
    if (size === bytes.length) {
      const grown = new Uint8Array(Math.min(limit, bytes.length + READ_CHUNK));
      grown.set(bytes);
      bytes = grown;
    }
    const got = await file.read(bytes.subarray(size));
    if (got === null) break;
    size += got;
  }
  return bytes.subarray(0, size);
}
