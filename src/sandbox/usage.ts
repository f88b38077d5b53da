import { alloc, cString, type Libc } from "./libc.ts";
import { readProc } from "./procfs.ts";

/** What processes use together. */
export interface Usage {
  readonly processes: number;
  readonly memoryBytes: number;
}

const PAGE_BYTES = 4096;

/**
 * What the process `root` and all below it use. Stops counting beyond `most` processes: a fork bomb must not keep
 * the watch busy. Private pages are summed, shared ones count once, by the largest.
 */
export function usageOf(libc: Libc, root: number, most: number): Usage {
  const queue = [root];
  let [processes, own, shared] = [0, 0, 0];
  for (let pid = queue.pop(); pid !== undefined && processes <= most; pid = queue.pop()) {
    const [, resident, common] = (readProc(libc, `/proc/${pid}/statm`) ?? "").split(" ").map(Number);
    if (resident === undefined || common === undefined) continue;
    processes++;
    own += resident - common;
    shared = Math.max(shared, common);
    queue.push(...childrenOf(libc, pid));
  }
  return { processes, memoryBytes: (own + shared) * PAGE_BYTES };
}

/** Children of a process's first thread; those of its other threads are found once they are orphans. */
export function childrenOf(libc: Libc, pid: number): number[] {
  const children = readProc(libc, `/proc/${pid}/task/${pid}/children`) ?? "";
  return children.split(" ").filter((text) => text !== "").map(Number);
}

/** The machine's memory in bytes, all of it and what is left; undefined when /proc does not tell. */
export function machineMemory(libc: Libc): { total: number; available: number } | undefined {
  const text = readProc(libc, "/proc/meminfo");
  const field = (name: string) => Number(text?.match(new RegExp(`^${name}:\\s+(\\d+) kB`, "m"))?.[1]) * 1024;
  const [total, available] = [field("MemTotal"), field("MemAvailable")];
  return total > 0 && available >= 0 ? { total, available } : undefined;
}

/** Bytes that an ordinary user may still write on the disk that `path` lies on; undefined when it does not tell. */
export function freeBytes(libc: Libc, path: string): number | undefined {
  const memory = alloc(128); // struct statfs: type, bsize, blocks, bfree, bavail, …, each 8 bytes
  if (libc.try("statfs", cString(path), memory) < 0) return undefined;
  const view = new DataView(memory.buffer);
  return Number(view.getBigInt64(8, true)) * Number(view.getBigUint64(32, true));
}
