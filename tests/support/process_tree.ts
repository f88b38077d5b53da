/** One process, as /proc shows it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

/** All processes of the machine; none where there is no /proc. Those that end meanwhile are left out. */
export function allProcesses(): Process[] {
  const processes: Process[] = [];
  if (Deno.build.os !== "linux") return processes;
  for (const { name } of Deno.readDirSync("/proc")) {
    const process = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (process) processes.push(process);
  }
  return processes;
}

/** The process `pid` and all its descendants, by the parents that they have now. */
export function processTree(pid: number): Process[] {
  const all = allProcesses();
  const tree = all.filter((p) => p.pid === pid);
  for (const parent of tree) tree.push(...all.filter((p) => p.parent === parent.pid));
  return tree;
}

/** True while `pid` is a process that still runs; one that is dead and only not yet waited for does not. */
export function isAlive(pid: number): boolean {
  const process = readProcess(pid);
  return process !== undefined && process.state !== "Z" && process.state !== "X";
}

/**
 * The living processes that were started with `marker` in their environment. It finds those too that were
 * handed over to another parent and so fell out of the tree.
 */
export function processesMarked(marker: string): Process[] {
  return allProcesses().filter((p) => isAlive(p.pid) && readText(`/proc/${p.pid}/environ`).includes(marker));
}

/** The living processes whose command line holds `text`. */
export function processesRunning(text: string): Process[] {
  return allProcesses().filter((p) => p.command.includes(text) && isAlive(p.pid));
}

/** Ends one process, if it has not ended meanwhile: the death of one often ends the others before their turn comes. */
export function endProcess({ pid }: Process): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Ends all processes with this marker, so that a failed test leaves none; gives their commands. */
export function endProcesses(marker: string): string[] {
  const found = processesMarked(marker);
  found.forEach(endProcess);
  return found.map((p) => p.command.slice(0, 200));
}

/** A command that sleeps for a day and is like no other, so that only this test's own processes are found by it. */
export function uniqueSleep(): string {
  const [digits] = crypto.getRandomValues(new Uint32Array(1));
  return `sleep 86400.${digits}`;
}

/** A size from /proc/PID/status in KiB, such as `VmRSS` (now) or `VmHWM` (the highest so far). */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readText(`/proc/${pid}/status`));
  if (!match?.[1]) throw new Error(`process ${pid} has no ${field}`);
  return Number(match[1]);
}

function readProcess(pid: number): Process | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold parentheses and spaces: fields are counted from the last one.
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!state || !parent) return undefined;
  const command = readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return { pid, parent: Number(parent), state, command };
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return ""; // it ended, or it is not ours to look into
  }
}
