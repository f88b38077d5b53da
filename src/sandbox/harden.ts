import { alloc, EINVAL, EPERM, type Libc } from "./libc.ts";

const PR_SET_DUMPABLE = 4;
const RLIMIT_CORE = 4;
const RLIMIT_MSGQUEUE = 12;
const PR_CAPBSET_DROP = 24;
const PR_SET_CHILD_SUBREAPER = 36;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const CLOSE_RANGE_CLOEXEC = 4;
const LAST_FD = 0xffffffff;
const CAPABILITY_VERSION_3 = 0x20080522;
const CAPABILITIES = 64;

/**
 * What every executor does for itself, confined or not: commands cannot look into it (memory, descriptors,
 * environment), processes that leave their parents come back to it, it has no terminal, and no descriptor
 * beside 0, 1 and 2 outlives an `execve`. `execve` undoes the first: call this again after it.
 */
export function hardenProcess(libc: Libc): void {
  hideProcess(libc);
  libc.must("becoming the reaper of orphans", "prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  libc.must("closing inherited descriptors", "close_range", 3, LAST_FD, CLOSE_RANGE_CLOEXEC);
  const session = libc.try("setsid");
  if (session < 0 && session !== -EPERM) throw new Error("leaving the terminal's session failed"); // EPERM: has one
}

/** Keeps other processes of the user from looking into this one, and cores from being written, until `execve`. */
export function hideProcess(libc: Libc): void {
  libc.must("hiding this process's memory", "prctl", PR_SET_DUMPABLE, 0, 0, 0, 0);
  const none = new Uint8Array(new BigUint64Array(alloc(16).buffer).buffer);
  libc.must("switching core dumps off", "prlimit64", 0, RLIMIT_CORE, none, 0);
}

/**
 * Puts a number on this process and all that it will start, which `env -i`, setsid and a new parent do not take
 * off: the limit on POSIX message queues, of which it leaves enough. The agent finds by it what a killed executor
 * left behind. Best effort: false where that limit is lower already (an agent inside an executor).
 */
export function tagDescendants(libc: Libc, tag: number): boolean {
  const limits = new BigUint64Array(alloc(16).buffer).fill(BigInt(tag));
  return libc.try("prlimit64", 0, RLIMIT_MSGQUEUE, new Uint8Array(limits.buffer), 0) === 0;
}

/** A tag that no process has by itself: below the kernel's default of 819,200 and hardly met twice. */
export function randomTag(): number {
  return 200_000 + crypto.getRandomValues(new Uint32Array(1))[0]! % 600_000;
}

/** The tag in the text of /proc/PID/limits. */
export function tagOf(limits: string): number | undefined {
  const line = limits.match(/^Max msgqueue size\s+(\d+)\s+(\d+)/m);
  return line === null ? undefined : Number(line[2]);
}

/** No program that is started from here on gains rights by set-user-id bits or file capabilities. */
export function setNoNewPrivileges(libc: Libc): void {
  libc.must("setting no_new_privs", "prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/** Gives up every capability for good; it matters when the agent runs as root. */
export function dropCapabilities(libc: Libc): void {
  for (let capability = 0; capability < CAPABILITIES; capability++) {
    const result = libc.try("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0);
    if (result === -EINVAL) break; // the kernel knows no further one
    if (result === -EPERM) break; // an ordinary user: has none to lose, and no_new_privs keeps it so
    if (result < 0) throw new Error(`dropping capability ${capability} failed (errno ${-result})`);
  }
  libc.must("clearing ambient capabilities", "prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const header = alloc(8);
  new DataView(header.buffer).setUint32(0, CAPABILITY_VERSION_3, true);
  libc.must("dropping capabilities", "capset", header, alloc(24));
}
