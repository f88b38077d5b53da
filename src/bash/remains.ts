import { openLibc } from "../sandbox/libc.ts";
import type { Libc } from "../sandbox/libc.ts";
import { becomeSubreaper } from "../sandbox/harden.ts";
import { parseStat, type ProcessStat, statusField } from "../sandbox/procfs.ts";
import { delay } from "./leftovers.ts";
import { MARKER_VARIABLE } from "./wire.ts";

/** What the agent noted about an executor and its commands while it lived. */
export interface Trace {
  /** What its commands carry in their environment, before the dot. */
  readonly marker: string;
  readonly confined: boolean;
  /** Sessions of its running commands: pid → when that process started. */
  readonly sessions: ReadonlyMap<number, number>;
  /** The executor's own start, in the clock of `ProcessStat`. */
  readonly startTime: number;
}

/** The executors that live now: they are the agent's children and nobody's remains. */
export const livingExecutors: Set<number> = new Set();

const ROUNDS = 40;
const SIGKILL = 9;
const WNOHANG = 1;

let agentLibc: Libc | undefined;

/**
 * From now on processes that escape from a dying executor come to the agent, where {@linkcode killRemains} finds
 * them whatever they did to their environment. Without the right to call libc the agent does without.
 */
export function reapOrphans(libcPath: string): void {
  if (agentLibc !== undefined) return;
  try {
    agentLibc = openLibc(libcPath);
    becomeSubreaper(agentLibc);
  } catch { /* no --allow-ffi: sessions and markers still tell most of them */ }
}

/** What /proc tells of a process; undefined when it is gone or may not be looked at. */
export async function processStat(pid: number): Promise<ProcessStat | undefined> {
  const text = await readProcFile(pid, "stat");
  return text === undefined ? undefined : parseStat(text);
}

/** Kills what a dead executor left behind, and nothing else. Never rejects. */
export async function killRemains(trace: Trace): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const remains = await findRemains(trace);
    if (remains.length === 0) return;
    for (const pid of remains) killProcess(pid);
    await delay(5);
    for (const pid of remains) agentLibc?.try("wait4", pid, 0, WNOHANG, 0);
  }
}

function killProcess(pid: number): void {
  try {
    if (agentLibc === undefined) Deno.kill(pid, "SIGKILL");
    else agentLibc.try("kill", pid, SIGKILL);
  } catch { /* it is gone */ }
}

async function findRemains(trace: Trace): Promise<number[]> {
  const pids: number[] = [];
  try {
    for await (const { name } of Deno.readDir("/proc")) if (/^\d+$/.test(name)) pids.push(Number(name));
  } catch { /* no /proc: nothing can be found */ }
  const isRemains = await Promise.all(pids.map((pid) => belongsTo(trace, pid)));
  return pids.filter((_, i) => isRemains[i]);
}

async function belongsTo(trace: Trace, pid: number): Promise<boolean> {
  if (pid === Deno.pid || livingExecutors.has(pid)) return false;
  const stat = await processStat(pid);
  if (stat === undefined || stat.state === "Z" || stat.startTime < trace.startTime) return false;
  if (trace.sessions.has(stat.session) && await isSameSession(trace, stat.session)) return true;
  if ((await markerOf(pid))?.startsWith(`${trace.marker}.`)) return true;
  return trace.confined && stat.parent === Deno.pid && await isConfinedStranger(pid, stat);
}

/** False when the session's number was given to another session since. */
async function isSameSession(trace: Trace, session: number): Promise<boolean> {
  const leader = await processStat(session);
  return leader === undefined || leader.startTime === trace.sessions.get(session);
}

/**
 * A child that the agent did not start (it is in another session) and that wears an executor's confinement,
 * which cannot be taken off: whatever it did to its environment, it escaped from one.
 */
async function isConfinedStranger(pid: number, stat: ProcessStat): Promise<boolean> {
  const status = await readProcFile(pid, "status");
  const own = await processStat(Deno.pid);
  if (status === undefined || own === undefined || stat.session === own.session) return false;
  return statusField(status, "NoNewPrivs") === "1" && statusField(status, "Seccomp") === "2" &&
    /^0+$/.test(statusField(status, "CapEff") ?? "");
}

async function markerOf(pid: number): Promise<string | undefined> {
  const prefix = `${MARKER_VARIABLE}=`;
  const environment = await readProcFile(pid, "environ");
  return environment?.split("\0").find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
}

async function readProcFile(pid: number, name: string): Promise<string | undefined> {
  return await Deno.readTextFile(`/proc/${pid}/${name}`).catch(() => undefined);
}
