import { DatabaseSync } from "node:sqlite";
import { join } from "@std/path/join";
import { AgentError, messageOf } from "../../errors.ts";
import { databasePath, SqliteStore, type StoredRow } from "./sqlite_store.ts";
import { storeFaultOf } from "./store_error.ts";
import { isEventType, type SessionEvent } from "../event.ts";

/** A new store in place of a damaged one. */
export interface Replacement {
  readonly store: SqliteStore;
  /** One line for the user; undefined when another process had already replaced it. */
  readonly note: string | undefined;
}

/**
 * Renames the files of a damaged store, begins a new one and carries over what can be read.
 * @throws StoreError when there cannot be a new one either.
 */
export async function replaceDamaged(stateDir: string): Promise<Replacement> {
  const guard = await Deno.open(join(stateDir, "store.lock"), { create: true, write: true, mode: 0o600 });
  try {
    await guard.lock(true); // of two processes that find the damage, one repairs it
    const mended = openUnlessDamaged(stateDir);
    if (mended) return { store: mended, note: undefined };
    const kept = await putAside(databasePath(stateDir));
    const store = new SqliteStore(stateDir);
    return { store, note: noteOf(kept, carryOver(kept, store)) };
  } finally {
    guard.close();
  }
}

function openUnlessDamaged(stateDir: string): SqliteStore | undefined {
  try {
    const store = new SqliteStore(stateDir);
    if (store.isSound()) return store;
    store.close();
    return undefined;
  } catch (e) {
    if (storeFaultOf(e) === "damaged") return undefined;
    throw e;
  }
}

/** Renames database, log and index together, so that SQLite's own tools still find them. */
async function putAside(path: string): Promise<string> {
  const kept = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      await Deno.rename(path + suffix, kept + suffix);
    } catch (e) {
      if (!(e instanceof Deno.errors.NotFound)) {
        throw new AgentError("store", `${path + suffix} is damaged and cannot be renamed: ${messageOf(e)}`);
      }
    }
  }
  return kept;
}

/** With `writable_schema` this lets SQLite open a file that has lost its last pages. Deno's types lack `defensive`. */
const UNGUARDED = { open: true, defensive: false };

/** Copies the beginning of each log, up to the first event that cannot be read. Returns how many there were. */
function carryOver(kept: string, store: SqliteStore): number {
  let carried = 0;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(kept, UNGUARDED);
    db.exec("PRAGMA writable_schema = ON");
    const select = db.prepare("SELECT seq, time, event FROM events WHERE session = ? ORDER BY seq");
    for (const id of sessionIds(db)) {
      const rows = readable(() => select.iterate(id));
      if (rows.length === 0) continue;
      store.adopt(id, rows);
      carried++;
    }
  } catch {
    /* not even its tables can be found */
  } finally {
    db?.close();
  }
  return carried;
}

/** The ids in a damaged database, by its small table and by its large one: whichever goes further. */
function sessionIds(db: DatabaseSync): Set<string> {
  const ids = new Set<string>();
  for (const sql of ["SELECT id FROM sessions", "SELECT DISTINCT session AS id FROM events"]) {
    try {
      for (const row of db.prepare(sql).iterate()) ids.add(String(row.id));
    } catch { /* up to here */ }
  }
  return ids;
}

function readable(select: () => Iterable<Record<string, unknown>>): StoredRow[] {
  const rows: StoredRow[] = [];
  try {
    for (const row of select()) {
      const event = JSON.parse(String(row.event)) as SessionEvent;
      if (Number(row.seq) !== rows.length || !isEventType(event.type)) break;
      rows.push({ seq: rows.length, time: Number(row.time), event: String(row.event) });
    }
  } catch { /* up to here */ }
  return rows;
}

function noteOf(kept: string, carried: number): string {
  const went = carried === 0
    ? "none of its sessions could be read"
    : carried === 1
    ? "one session could be read and was carried over"
    : `${carried} sessions could be read and were carried over`;
  return `The session store was damaged: it is kept as ${kept}, and a new one was begun; ${went}.`;
}
