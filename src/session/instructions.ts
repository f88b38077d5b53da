import { join } from "@std/path/join";

/** A workspace's own instructions for agents. */
export interface Instructions {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** Name of the file, as most agents read it. */
const FILE = "AGENTS.md";
/** Bytes that are read; more would crowd out the conversation. */
const MAX_BYTES = 32 * 1024;

/**
 * Reads `AGENTS.md` of the workspace. Only a regular file inside the workspace counts, so that a planted
 * symlink cannot show the model a secret and a FIFO cannot hang the agent. Never throws.
 */
export async function readInstructions(cwd: string): Promise<Instructions | undefined> {
  try {
    const path = await Deno.realPath(join(cwd, FILE));
    if (!path.startsWith(`${await Deno.realPath(cwd)}/`)) return undefined;
    if (!(await Deno.lstat(path)).isFile) return undefined;
    using file = await Deno.open(path);
    const text = new TextDecoder().decode(await readUpTo(file, MAX_BYTES));
    return text.trim() === "" ? undefined : { path, text: text.trim() };
  } catch {
    return undefined; // no such file, or one that may not be read: the session works without it
  }
}

async function readUpTo(file: Deno.FsFile, limit: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const n = await file.read(buffer.subarray(length));
    if (n === null) break;
    length += n;
  }
  return buffer.subarray(0, length);
}
