import { alloc, cString, type Libc } from "./libc.ts";

const AT_FDCWD = -100;
const STATX_BASIC_STATS = 0x7ff;
/** Offsets in struct statx, the same on all architectures. */
const INODE = 32;
const SIZE = 40;
const CHANGED = 96;
const MODIFIED = 112;

/**
 * Tells two states of a file apart by inode, size and both times in nanoseconds; Deno knows milliseconds, in
 * which a file can be written twice. Undefined when the path cannot be looked at.
 */
export function statxVersion(libc: Libc, path: string): string | undefined {
  const memory = alloc(256);
  if (libc.try("statx", AT_FDCWD, cString(path), 0, STATX_BASIC_STATS, memory) < 0) return undefined;
  const view = new DataView(memory.buffer);
  const time = (at: number) => `${view.getBigInt64(at, true)}.${view.getUint32(at + 8, true)}`;
  return [view.getBigUint64(INODE, true), view.getBigUint64(SIZE, true), time(CHANGED), time(MODIFIED)].join(
    "-",
  );
}

/** The same from what Deno knows, where there are no system calls. */
export function infoVersion(info: Deno.FileInfo): string {
  return [info.ino, info.size, info.ctime?.getTime(), info.mtime?.getTime()].join("-");
}
