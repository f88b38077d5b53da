import { tagOf } from "../sandbox/harden.ts";
import { delay } from "./leftovers.ts";
import { MARKER_VARIABLE } from "./wire.ts";

/** What tells an executor's processes from all others. */
export interface Trace {
  /** What its commands carry in their environment, before the dot. */
  readonly marker: string;
  /** What `tagDescendants` put on the executor. */
  readonly tag: number;
}

/** Looks before what the kernel does not let go is given up. */
const ROUNDS = 40;

/**
 * Kills what a dead executor left behind, and nothing else: processes that carry its tag or its marker, whoever
 * is their parent now. Never rejects. (One that lowers its own limit and clears its environment is not found; it
 * stays as confined as it was.)
 */
export async function killRemains(trace: Trace): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const remains = await findRemains(trace);
    if (remains.length === 0) return;
    for (const pid of remains) kill(pid);
    await delay(5);
  }
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch { /* it is gone */ }
}

async function findRemains(trace: Trace): Promise<number[]> {
  const pids: number[] = [];
  try {
    for await (const { name } of Deno.readDir("/proc")) if (/^\d+$/.test(name)) pids.push(Number(name));
  } catch { /* no /proc, or not for us: nothing can be found */ }
  const isRemains = await Promise.all(pids.map((pid) => belongsTo(trace, pid)));
  return pids.filter((_, i) => isRemains[i]);
}

/** Dead processes that were not yet waited for have neither limits nor an environment. */
async function belongsTo(trace: Trace, pid: number): Promise<boolean> {
  const read = (name: string) => Deno.readTextFile(`/proc/${pid}/${name}`).catch(() => "");
  if (tagOf(await read("limits")) === trace.tag) return !(await read("stat")).includes(") Z ");
  return (await read("environ")).split("\0").some((e) => e.startsWith(`${MARKER_VARIABLE}=${trace.marker}.`));
}
