import { type Orphan, type Processes, SIGKILL, SIGTERM } from "./processes.ts";

/** Milliseconds between SIGTERM and SIGKILL. */
export const GRACE_MS = 300;
/** Milliseconds between two looks at what is left. */
const POLL_MS = 5;
/** Looks after SIGKILL before what the kernel does not let go is given up. */
const KILL_ROUNDS = 40;

/** Which orphans to end: called anew for each look, since new ones appear as their parents die. */
export type FindLeftovers = () => readonly Orphan[];

/**
 * Ends processes that outlived their command: TERM, `graceMs` later KILL, until none is left. Returns how many
 * there were.
 */
export async function endLeftovers(
  processes: Processes,
  find: FindLeftovers,
  graceMs: number = GRACE_MS,
): Promise<number> {
  const seen = new Set<number>();
  const killAt = performance.now() + graceMs;
  for (let killed = 0; killed < KILL_ROUNDS;) {
    const left = find();
    if (left.length === 0) break;
    const kill = performance.now() >= killAt;
    for (const { pid, stat } of left) {
      const fresh = !seen.has(pid);
      seen.add(pid);
      if (!kill && !fresh) continue;
      if (stat.group === stat.session) processes.signalGroup(stat.group, kill ? SIGKILL : SIGTERM);
      processes.signal(pid, kill ? SIGKILL : SIGTERM);
    }
    if (kill) killed++;
    await delay(POLL_MS);
  }
  return seen.size;
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
