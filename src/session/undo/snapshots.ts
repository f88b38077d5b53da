import { join } from "@std/path/join";
import { contentHash } from "../../tool/file/text_file.ts";

/** Bytes of the largest content that is kept, and of all that is kept for one session. */
export interface SnapshotBounds {
  readonly file: number;
  readonly session: number;
}

/** File tools change no larger files. */
const BOUNDS: SnapshotBounds = { file: 32 * 1024 * 1024, session: 200 * 1024 * 1024 };

/** Days after its last change at which what is kept for a session is removed. */
export const SNAPSHOT_DAYS = 30;

/** Where the snapshots of all sessions are. */
export function snapshotsIn(stateDir: string): string {
  return join(stateDir, "snapshots");
}

/**
 * What files of the workspace held before turns of one session changed them: a directory for each turn, in it
 * contents by their hash. For this process alone, while it owns the session. Readable by the user only, and not by
 * commands, to which the state directory is closed.
 */
export class Snapshots {
  readonly #directory: () => string;
  readonly #bounds: SnapshotBounds;
  /** Bytes kept for each turn, the oldest first. */
  #turns: Promise<Map<string, number>> | undefined;

  /** `directory` is asked for with the first use, and made with the first content. */
  constructor(directory: () => string, bounds: SnapshotBounds = BOUNDS) {
    this.#directory = directory;
    this.#bounds = bounds;
  }

  /**
   * Keeps a content and gives its hash; where there is no room, what was kept for the oldest turns goes.
   * @throws Error, whose message is the cause, when it cannot be kept.
   */
  async keep(turn: string, bytes: Uint8Array): Promise<string> {
    const { file, session } = this.#bounds;
    if (bytes.length > file) throw new Error(`it had more than ${mebibytes(file)}`);
    const hash = await contentHash(bytes);
    const path = this.#path(turn, hash);
    if (await isThere(path)) return hash;
    const turns = await this.#kept();
    while (sum(turns) + bytes.length > session) {
      const oldest = turns.keys().find((id) => id !== turn);
      if (oldest === undefined) throw new Error(`more than ${mebibytes(session)} were changed in one turn`);
      await Deno.remove(join(this.#directory(), oldest), { recursive: true });
      turns.delete(oldest);
    }
    await this.#write(path, bytes);
    turns.set(turn, (turns.get(turn) ?? 0) + bytes.length);
    return hash;
  }

  /** What was kept; undefined when it is not there any more, or is not what was kept. Never throws. */
  async read(turn: string, hash: string): Promise<Uint8Array | undefined> {
    try {
      const bytes = await Deno.readFile(this.#path(turn, hash));
      return await contentHash(bytes) === hash ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /** Forgets a turn. Never throws. */
  async forget(turn: string): Promise<void> {
    await Deno.remove(join(this.#directory(), safe(turn)), { recursive: true }).catch(() => {});
    (await this.#turns?.catch(() => {}))?.delete(turn);
  }

  #path(turn: string, hash: string): string {
    return join(this.#directory(), safe(turn), safe(hash));
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const temp = `${path}.part`;
    try {
      await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      await Deno.writeFile(temp, bytes, { mode: 0o600 });
      await Deno.rename(temp, path);
    } catch (e) {
      await Deno.remove(temp).catch(() => {});
      throw e;
    }
  }

  async #kept(): Promise<Map<string, number>> {
    try {
      return await (this.#turns ??= this.#count());
    } catch (e) {
      this.#turns = undefined;
      throw e;
    }
  }

  /** What is there from an earlier time. */
  async #count(): Promise<Map<string, number>> {
    const found: { turn: string; bytes: number; time: number }[] = [];
    for (const turn of await namesIn(this.#directory())) {
      const directory = join(this.#directory(), turn);
      const sizes = await Promise.all(
        (await namesIn(directory)).map((name) => Deno.lstat(join(directory, name)).then((i) => i.size)),
      );
      const time = (await Deno.lstat(directory)).mtime?.getTime() ?? 0;
      found.push({ turn, time, bytes: sizes.reduce((all, size) => all + size, 0) });
    }
    return new Map(found.sort((a, b) => a.time - b.time).map(({ turn, bytes }) => [turn, bytes]));
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  } catch {
    return []; // there is none yet
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** Ids become names of files: a log that was tampered with must not lead elsewhere. */
function safe(id: string): string {
  if (!/^\w+$/.test(id)) throw new Error(`${JSON.stringify(id)} is no id`);
  return id;
}

function sum(turns: ReadonlyMap<string, number>): number {
  return turns.values().reduce((all, size) => all + size, 0);
}

function mebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
