import type { Libc } from "../sandbox/libc.ts";
import { parseStat, type ProcessStat, readProc } from "../sandbox/procfs.ts";
import { MARKER_VARIABLE } from "./wire.ts";

export const SIGTERM = 15;
export const SIGKILL = 9;

/** A child of this process that this process did not start: its parent died, and it came to its subreaper. */
export interface Orphan {
  readonly pid: number;
  readonly stat: ProcessStat;
}

/** The kernel's view of this process's children. Never throws. */
export interface Processes {
  /** Signals a process group; true when there was one. */
  signalGroup(group: number, signal: number): boolean;
  signal(pid: number, signal: number): boolean;
  /** Living children other than `known`; dead ones among them are reaped on the way. */
  orphans(known: ReadonlySet<number>): Orphan[];
  /** The marker in a process's environment; undefined when it has none or it cannot be read. */
  markerOf(pid: number): string | undefined;
}

const WNOHANG = 1;

/** Linux: by system calls and /proc, since Deno keeps both for wider permissions than an executor has. */
export function linuxProcesses(libc: Libc, self: number): Processes {
  const signal = (pid: number, number: number) => libc.try("kill", pid, number) === 0;
  return {
    signal,
    signalGroup: (group, number) => signal(-group, number),
    orphans(known) {
      const children = readProc(libc, `/proc/self/task/${self}/children`) ?? "";
      const strangers = children.split(" ").filter((c) => c !== "").map(Number).filter((c) => !known.has(c));
      return strangers.flatMap((pid) => {
        const stat = parseStat(readProc(libc, `/proc/${pid}/stat`) ?? "");
        if (stat === undefined) return [];
        if (stat.state !== "Z") return [{ pid, stat }];
        libc.try("wait4", pid, 0, WNOHANG, 0);
        return [];
      });
    },
    markerOf(pid) {
      const environment = readProc(libc, `/proc/${pid}/environ`);
      const prefix = `${MARKER_VARIABLE}=`;
      return environment?.split("\0").find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
    },
  };
}
