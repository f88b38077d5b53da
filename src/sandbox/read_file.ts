import { concat } from "./bytes.ts";
import { alloc, cString, type Libc, SyscallError } from "./libc.ts";

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const STATX_BASIC_STATS = 0x7ff;
/** Offsets in struct statx. */
const MODE = 28;
const SIZE = 40;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const SEEK_SET = 0;
const CHUNK = 256 * 1024;

/** What was found at a path: a regular file's bytes, or what else stands there. */
export type ReadOutcome =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly kind: "directory" | "other" };

/**
 * Reads at most `maxBytes` of a regular file, from byte `from` on, by system calls on the calling thread: the one that Landlock binds,
 * whereas Deno's own operations run on others. Never waits for a FIFO or a device. Throws {@linkcode SyscallError}.
 */
export function readRegular(libc: Libc, path: string, from: number, maxBytes: number): ReadOutcome {
  const flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const fd = libc.must(`opening ${path}`, "openat", AT_FDCWD, cString(path), flags);
  try {
    const { mode, size } = look(libc, fd, path);
    if ((mode & FILE_TYPE) !== REGULAR) {
      return { kind: (mode & FILE_TYPE) === DIRECTORY ? "directory" : "other" };
    }
    if (from > 0) libc.must(`reading ${path}`, "lseek", fd, from, SEEK_SET);
    const bytes = readAll(libc, fd, path, maxBytes);
    return { kind: "file", bytes, size: Math.max(size, bytes.length === 0 ? 0 : from + bytes.length) };
  } finally {
    libc.try("close", fd);
  }
}

function look(libc: Libc, fd: number, path: string): { mode: number; size: number } {
  const memory = alloc(256);
  libc.must(`looking at ${path}`, "statx", fd, cString(""), AT_EMPTY_PATH, STATX_BASIC_STATS, memory);
  const view = new DataView(memory.buffer);
  return { mode: view.getUint16(MODE, true), size: Number(view.getBigUint64(SIZE, true)) };
}

/** Reads to the end, whatever size was told: files of some file systems tell 0. */
function readAll(libc: Libc, fd: number, path: string, maxBytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size < maxBytes) {
    const memory = alloc(Math.min(CHUNK, maxBytes - size));
    const got = libc.try("read", fd, memory, memory.length);
    if (got < 0) throw new SyscallError(`reading ${path}`, -got);
    if (got === 0) break;
    parts.push(memory.subarray(0, got));
    size += got;
  }
  return concat(parts, size);
}
