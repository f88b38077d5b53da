import { concat } from "./bytes.ts";
import { alloc, cString, type Libc } from "./libc.ts";

const AT_FDCWD = -100;
const O_CLOEXEC = 0o2000000;
const MAX_BYTES = 1 << 20;

/**
 * A file of /proc as text, read through libc since Deno keeps /proc for `--allow-all`; undefined when it
 * cannot be read.
 */
export function readProc(libc: Libc, path: string): string | undefined {
  const fd = libc.try("openat", AT_FDCWD, cString(path), O_CLOEXEC);
  if (fd < 0) return undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  let got: number;
  do {
    const memory = alloc(16 * 1024);
    got = libc.try("read", fd, memory, memory.length);
    if (got > 0) parts.push(memory.subarray(0, got));
    size += Math.max(got, 0);
  } while (got > 0 && size < MAX_BYTES);
  libc.must("closing a file of /proc", "close", fd);
  return got < 0 ? undefined : new TextDecoder().decode(concat(parts, size));
}

/** One line of /proc/PID/stat, as far as it is of use. */
export interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly startTime: number;
}

/** Reads the text of /proc/PID/stat; the program's name in it may hold blanks and parentheses. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const number = (i: number) => Number(fields[i]);
  const stat = {
    state: fields[0] ?? "",
    parent: number(1),
    group: number(2),
    session: number(3),
    startTime: number(19),
  };
  return Number.isInteger(stat.startTime) && stat.startTime > 0 ? stat : undefined;
}

/** The value of a line `Name:\tvalue` of /proc/PID/status. */
export function statusField(status: string, name: string): string | undefined {
  return status.match(new RegExp(`^${name}:\\s*(.*)$`, "m"))?.[1];
}
