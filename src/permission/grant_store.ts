import { resolve } from "@std/path/resolve";
import { join } from "@std/path/join";
import { AgentError, messageOf } from "../errors.ts";
import type { Grant } from "./grant.ts";
import { parseRecord, type StoredGrant, VERSION } from "./grant_record.ts";

/** What a workspace has been granted. */
export interface Granted {
  /** The workspace's real path; undefined when the file does not tell. */
  readonly workspace: string | undefined;
  readonly grants: readonly StoredGrant[];
  /** Set: the file could not be used, and why. It is kept. */
  readonly warning?: string | undefined;
}

/**
 * The grants of one workspace, kept in `<stateDir>/grants/<hash of its real path>.json`. Only this class writes
 * there, and nothing in a workspace is ever read.
 *
 * Processes share the file: each change is made on what is in it now, under a lock, and put in place whole.
 */
export class GrantStore {
  readonly #dir: string;
  readonly #file: string;
  readonly #workspace: string;

  private constructor(dir: string, file: string, workspace: string) {
    this.#dir = dir;
    this.#file = file;
    this.#workspace = workspace;
  }

  /** The store of a workspace, which is known by its real path: a link to it is the same workspace. */
  static async of(stateDir: string, workspace: string): Promise<GrantStore> {
    const real = await Deno.realPath(workspace).catch(() => resolve(workspace));
    const dir = join(stateDir, "grants");
    return new GrantStore(dir, join(dir, `${await sha256(real)}.json`), real);
  }

  /** What is granted now. Never rejects: a file that cannot be used grants nothing, and is told as a warning. */
  async load(): Promise<Granted> {
    const granted = await readGranted(this.#file);
    if (
      granted.warning === undefined && granted.workspace !== undefined &&
      granted.workspace !== this.#workspace
    ) {
      return {
        workspace: this.#workspace,
        grants: [],
        warning: `The file ${this.#file} belongs to another workspace.`,
      };
    }
    return { ...granted, workspace: this.#workspace };
  }

  /**
   * Remembers a grant; one that is there already is not added again.
   * @throws AgentError("store") when it cannot be kept.
   */
  async add(grant: Grant): Promise<StoredGrant> {
    const id = (await sha256(JSON.stringify(grant))).slice(0, 12);
    const fresh: StoredGrant = { id, addedAt: new Date().toISOString(), grant };
    const after = await this.#change((grants) =>
      grants.some((g) => g.id === id) ? grants : [...grants, fresh]
    );
    return after.find((g) => g.id === id) ?? fresh;
  }

  /** Takes a grant back. False: there was none of this id. @throws AgentError("store") when it cannot be done. */
  async withdraw(id: string): Promise<boolean> {
    let found = false;
    await this.#change((grants) => {
      found = grants.some((g) => g.id === id);
      return grants.filter((g) => g.id !== id);
    });
    return found;
  }

  async #change(
    change: (grants: readonly StoredGrant[]) => readonly StoredGrant[],
  ): Promise<readonly StoredGrant[]> {
    try {
      await makePrivate(this.#dir);
      using lock = await Deno.open(`${this.#file}.lock`, { create: true, write: true, mode: 0o600 });
      // The lock file stays: removing it would let two processes lock two files of one name.
      await lock.lock(true);
      const before = await this.load();
      const after = change(before.grants);
      if (after === before.grants) return after;
      if (before.warning !== undefined) await Deno.rename(this.#file, `${this.#file}.kept-${Date.now()}`);
      await writeWhole(this.#file, { version: VERSION, workspace: this.#workspace, grants: after });
      return after;
    } catch (e) {
      throw new AgentError("store", `The grant cannot be kept: ${messageOf(e)}`, { cause: e });
    }
  }
}

/** The grants of all workspaces, for a list. Never rejects. */
export async function listGrants(stateDir: string): Promise<Granted[]> {
  const dir = join(stateDir, "grants");
  const all: Granted[] = [];
  try {
    for await (const entry of Deno.readDir(dir)) {
      if (/^[0-9a-f]{64}\.json$/.test(entry.name)) all.push(await readGranted(join(dir, entry.name)));
    }
  } catch { /* no directory, no grants */ }
  return all.filter((g) => g.grants.length > 0 || g.warning !== undefined)
    .sort((a, b) => (a.workspace ?? "") < (b.workspace ?? "") ? -1 : 1);
}

async function readGranted(file: string): Promise<Granted> {
  const unusable = (why: string): Granted => ({
    workspace: undefined,
    grants: [],
    warning: `The grants in ${file} are not used: ${why}. Commands are asked for again; the file is kept.`,
  });
  try {
    const found = await Deno.lstat(file);
    if (!found.isFile) return unusable("it is no plain file");
    if (isForeign(found)) return unusable("others can write it");
    const record = parseRecord(await Deno.readTextFile(file));
    return "fault" in record ? unusable(record.fault) : record;
  } catch (e) {
    return e instanceof Deno.errors.NotFound ? { workspace: undefined, grants: [] } : unusable(messageOf(e));
  }
}

/** Another user's file, or one that others may write, is nobody's answer. */
function isForeign(info: Deno.FileInfo): boolean {
  const uid = Deno.build.os === "windows" ? null : Deno.uid();
  return (uid !== null && info.uid !== null && info.uid !== uid) || ((info.mode ?? 0) & 0o022) !== 0;
}

async function makePrivate(dir: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  if (Deno.build.os !== "windows") await Deno.chmod(dir, 0o700);
}

/** A reader sees the file before or after, never half of it. */
async function writeWhole(file: string, content: unknown): Promise<void> {
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    using out = await Deno.open(temporary, { createNew: true, write: true, mode: 0o600 });
    const bytes = new TextEncoder().encode(`${JSON.stringify(content, null, 2)}\n`);
    for (let at = 0; at < bytes.length;) at += await out.write(bytes.subarray(at));
    await out.sync();
    await Deno.rename(temporary, file);
  } catch (e) {
    await Deno.remove(temporary).catch(() => {});
    throw e;
  }
}

async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}
