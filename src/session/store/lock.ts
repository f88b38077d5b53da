import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { AgentError, messageOf } from "../../errors.ts";

/** Proof that this process owns a session; the operating system frees it when the process dies. */
export interface SessionLock {
  release(): void;
}

/**
 * Takes a session for this process.
 * @throws AgentError("store") when another process has it, or the lock file cannot be made.
 */
export function lockSession(stateDir: string, sessionId: string): SessionLock {
  const path = join(stateDir, "locks", `${sessionId}.lock`);
  let file: Deno.FsFile;
  do {
    file = openLockFile(path);
    if (!file.tryLockSync(true)) {
      file.close();
      throw new AgentError(
        "store",
        `Session ${sessionId} is open in another process: close it there first.`,
        {
          data: { sessionId },
        },
      );
    }
    // The owner before us may have removed the file after we opened it: then our lock guards nothing.
  } while (!isAt(file, path));
  return {
    release: () => {
      try {
        Deno.removeSync(path);
      } catch { /* the state directory is gone, and the lock with it */ }
      file.close();
    },
  };
}

function openLockFile(path: string): Deno.FsFile {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return Deno.openSync(path, { create: true, write: true, mode: 0o600 });
  } catch (e) {
    throw new AgentError("store", `The session's lock ${path} cannot be made: ${messageOf(e)}`, { cause: e });
  }
}

function isAt(file: Deno.FsFile, path: string): boolean {
  try {
    return file.statSync().ino === Deno.statSync(path).ino;
  } catch {
    file.close();
    return false;
  }
}
