import { alloc, type Libc } from "./libc.ts";

/** What a command and all its processes may use; see docs/security.md. */
export interface Limits {
  /** Processes of one executor at a time. */
  readonly processes: number;
  /** Bytes of memory of all processes together; shared pages count once. */
  readonly memoryBytes: number;
  /** Bytes of one file that is written. */
  readonly fileBytes: number;
  /** Bytes by which a command may shrink the free space of the workspace's or the temporary directory's disk. */
  readonly diskBytes: number;
  /** Open files of one process. */
  readonly openFiles: number;
}

const GiB = 1024 ** 3;

/** What holds when nothing else is set. `memoryBytes` is at most three quarters of the machine's. */
export const DEFAULT_LIMITS: Limits = {
  processes: 1000,
  memoryBytes: 16 * GiB,
  fileBytes: 8 * GiB,
  diskBytes: 16 * GiB,
  openFiles: 16_384,
};

const RLIMIT_FSIZE = 1;
const RLIMIT_NPROC = 6;
const RLIMIT_NOFILE = 7;
/** Threads for each process that is allowed: the kernel counts threads, people count processes. */
const THREADS_EACH = 8;

/**
 * Sets those limits that the kernel itself keeps, on this process and all that it will start; lower ones stay. The
 * number of processes only where the user namespace is the executor's own: elsewhere all of the user's count, and
 * root is never bound. Best effort, since a watch looks at the rest anyway.
 */
export function applyLimits(libc: Libc, limits: Limits, ownUserNamespace: boolean): void {
  lower(libc, RLIMIT_FSIZE, limits.fileBytes);
  lower(libc, RLIMIT_NOFILE, limits.openFiles);
  if (ownUserNamespace) lower(libc, RLIMIT_NPROC, limits.processes * THREADS_EACH);
}

function lower(libc: Libc, resource: number, value: number): void {
  const memory = alloc(16);
  if (libc.try("prlimit64", 0, resource, 0, memory) < 0) return;
  const limits = new BigUint64Array(memory.buffer);
  const wanted = BigInt(value);
  const least = (limit: bigint) => limit < wanted ? limit : wanted;
  const lowered = new BigUint64Array(alloc(16).buffer);
  lowered.set([least(limits[0]!), least(limits[1]!)]);
  libc.try("prlimit64", 0, resource, new Uint8Array(lowered.buffer), 0);
}
