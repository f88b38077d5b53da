import { join } from "@std/path/join";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { lockSession, type SessionLock } from "./lock.ts";
import { MemoryStore } from "./memory_store.ts";
import { snapshotsIn } from "../undo/snapshots.ts";
import type { SqliteStore } from "./sqlite_store.ts";
import type { SessionStore } from "./store.ts";
import { storeFaultOf } from "./store_error.ts";
import { pruneSnapshots, pruneTempDirs, removeTempDir, tempDirOf } from "./temp_dirs.ts";

/** What a connection keeps its sessions in. */
type Keeping =
  | { readonly kind: "disk"; readonly store: SqliteStore }
  /** The state directory is of no use: everything ends with the connection. */
  | { readonly kind: "memory"; readonly store: MemoryStore; readonly dir: string };

/** What {@linkcode StateDir} needs to know. */
export interface StateDirOptions {
  readonly config: Pick<Config, "stateDir" | "environment">;
  readonly log: Log;
}

/**
 * The state directory as one connection sees it: store, locks, temporary directories of sessions. Nothing is
 * touched before {@linkcode store} is first called. A damaged store is replaced; where nothing can be written,
 * sessions live in memory. Both are told in a note.
 */
export class StateDir {
  readonly #options: StateDirOptions;
  #opening: Promise<Keeping> | undefined;
  /** What the last opening came to. */
  #keeping: Keeping | undefined;
  #notes: string[] = [];

  constructor(options: StateDirOptions) {
    this.#options = options;
  }

  /** @throws StoreError for what may pass (a full disk) and for a store of a later version. */
  async store(): Promise<SessionStore> {
    if (this.#keeping?.kind === "disk" && this.#keeping.store.damaged) {
      this.#keeping.store.close(); // sessions that still write to it are told so
      this.#keeping = undefined;
      this.#opening = this.#replace();
    }
    this.#opening ??= this.#open();
    try {
      this.#keeping = await this.#opening;
    } catch (e) {
      this.#opening = undefined;
      throw e;
    }
    return this.#keeping.store;
  }

  /** Takes a session for this process; after {@linkcode store}. See {@linkcode lockSession}. */
  lock(sessionId: string): SessionLock {
    if (this.#keeping?.kind === "memory") return { release: () => {} };
    return lockSession(this.#options.config.stateDir, sessionId);
  }

  /** The private temporary directory of a session; after {@linkcode store}. */
  tempDir(sessionId: string): string {
    return tempDirOf(this.#directory, sessionId);
  }

  /** The directory for what a session's files held before turns changed them; after {@linkcode store}. */
  snapshots(sessionId: string): string {
    return join(snapshotsIn(this.#directory), sessionId);
  }

  get #directory(): string {
    const kept = this.#keeping;
    return kept?.kind === "memory" ? kept.dir : this.#options.config.stateDir;
  }

  /** Removes a session that is not open here. @throws AgentError("store") when another process has it open. */
  async remove(sessionId: string): Promise<void> {
    const store = await this.store();
    const lock = this.lock(sessionId);
    try {
      store.remove(sessionId);
      await removeTempDir(this.tempDir(sessionId));
      await Deno.remove(this.snapshots(sessionId), { recursive: true }).catch(() => {});
    } finally {
      lock.release();
    }
  }

  /** What the user should be told of the state directory, each once. */
  takeNotes(): string[] {
    return this.#notes.splice(0);
  }

  /** To be called when all sessions are closed. Never rejects. */
  async close(): Promise<void> {
    const kept = await this.#opening?.catch(() => undefined);
    kept?.store.close();
    if (kept?.kind === "memory") await Deno.remove(kept.dir, { recursive: true }).catch(() => {});
  }

  /** SQLite is loaded by the first prompt, load or list. */
  async #open(): Promise<Keeping> {
    const { stateDir } = this.#options.config;
    const { SqliteStore } = await import("./sqlite_store.ts");
    try {
      const store = new SqliteStore(stateDir);
      // Beside the first turn, which does not wait for it.
      void pruneTempDirs(stateDir);
      void pruneSnapshots(stateDir);
      return { kind: "disk", store };
    } catch (e) {
      const fault = storeFaultOf(e);
      if (fault === "damaged") return await this.#replace();
      if (fault === "unusable") return this.#inMemory(e);
      throw e;
    }
  }

  async #replace(): Promise<Keeping> {
    const { replaceDamaged } = await import("./damaged_store.ts");
    const { store, note } = await replaceDamaged(this.#options.config.stateDir);
    if (note) this.#note(note);
    return { kind: "disk", store };
  }

  #inMemory(cause: unknown): Keeping {
    const { environment } = this.#options.config;
    const base = environment.TMPDIR ?? environment.TEMP ?? "/tmp";
    this.#note(
      `Sessions cannot be kept and end with the agent: ${messageOf(cause)}`,
    );
    const dir = join(base, `dsh-acp-${crypto.randomUUID()}`);
    return { kind: "memory", store: new MemoryStore(), dir };
  }

  #note(text: string): void {
    this.#options.log.warn(text);
    this.#notes.push(text);
  }
}
