import { join } from "@std/path/join";
import { isSessionId } from "../ids.ts";
import { lockSession } from "./lock.ts";
import { SNAPSHOT_DAYS, snapshotsIn } from "../undo/snapshots.ts";

/** Days after its last use at which a session's temporary files are removed. */
const KEPT_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The private temporary directory of a session. It outlives processes: a loaded session finds its files again. */
export function tempDirOf(stateDir: string, sessionId: string): string {
  return join(stateDir, "tmp", sessionId);
}

/** Removes a session's temporary directory if nothing is in it. Never rejects. */
export async function removeIfEmpty(tempDir: string): Promise<void> {
  await Deno.remove(tempDir).catch(() => {});
}

/** Removes a session's temporary directory with all that is in it. Never rejects. */
export async function removeTempDir(tempDir: string): Promise<void> {
  await Deno.remove(tempDir, { recursive: true }).catch(() => {});
}

/** Removes temporary directories that were not used for {@linkcode KEPT_DAYS} days. Never rejects. */
export async function pruneTempDirs(stateDir: string, now: number = Date.now()): Promise<void> {
  await prune(stateDir, join(stateDir, "tmp"), now - KEPT_DAYS * DAY_MS);
}

/** The same of what was kept to take changes back, after {@linkcode SNAPSHOT_DAYS} days. */
export async function pruneSnapshots(stateDir: string, now: number = Date.now()): Promise<void> {
  await prune(stateDir, snapshotsIn(stateDir), now - SNAPSHOT_DAYS * DAY_MS);
}

/** Removes the sessions' own directories in `place` that were last used before `oldest`. */
async function prune(stateDir: string, place: string, oldest: number): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(place)) {
      const { mtime } = await Deno.lstat(join(place, name));
      if (mtime && mtime.getTime() < oldest) await removeUnlessInUse(stateDir, place, name);
    }
  } catch { /* there are none, or they may not be looked at: nothing to tidy up */ }
}

async function removeUnlessInUse(stateDir: string, place: string, name: string): Promise<void> {
  try {
    const lock = isSessionId(name) ? lockSession(stateDir, name) : undefined;
    await Deno.remove(join(place, name), { recursive: true });
    lock?.release();
  } catch { /* open in another process, or not ours to remove */ }
}
