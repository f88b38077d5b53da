import { join } from "@std/path/join";
import { isSessionId } from "./ids.ts";
import { lockSession } from "./lock.ts";

/** Days after its last use at which a session's temporary files are removed. */
const KEPT_DAYS = 7;

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
  const oldest = now - KEPT_DAYS * 24 * 60 * 60 * 1000;
  try {
    for await (const { name } of Deno.readDir(join(stateDir, "tmp"))) {
      const { mtime } = await Deno.lstat(join(stateDir, "tmp", name));
      if (mtime && mtime.getTime() < oldest) await removeUnlessInUse(stateDir, name);
    }
  } catch { /* there are none, or they may not be looked at: nothing to tidy up */ }
}

async function removeUnlessInUse(stateDir: string, name: string): Promise<void> {
  try {
    const lock = isSessionId(name) ? lockSession(stateDir, name) : undefined;
    await Deno.remove(join(stateDir, "tmp", name), { recursive: true });
    lock?.release();
  } catch { /* open in another process, or not ours to remove */ }
}
