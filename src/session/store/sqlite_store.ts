import { DatabaseSync, type StatementSync } from "node:sqlite";
import { join } from "@std/path/join";
import { messageOf } from "../../errors.ts";
import { isEventType, type LoggedEvent, type SessionEvent } from "../event.ts";
import { prepareLayout, PUT_SUMMARY, summaryValues } from "./sqlite_layout.ts";
import type { ListQuery, SessionStore } from "./store.ts";
import { StoreError, storeFaultOf } from "./store_error.ts";
import { changesSummary, emptySummary, summarize, type Summary } from "./summary.ts";

/** Milliseconds to wait for another process that is writing. */
const BUSY_TIMEOUT = 5000;

/** A logged event as it is stored: its text may be anything where the file was damaged. */
export interface StoredRow {
  readonly seq: number;
  readonly time: number;
  readonly event: string;
}

/** The database's file in a state directory. */
export function databasePath(stateDir: string): string {
  return join(stateDir, "sessions.sqlite");
}

/** Logs and summaries in one SQLite database (write-ahead log) in the state directory. */
export class SqliteStore implements SessionStore {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;
  #damaged = false;

  /** @throws StoreError when the database cannot be opened or is of a later layout. */
  constructor(stateDir: string) {
    const path = this.#path = databasePath(stateDir);
    let db: DatabaseSync | undefined;
    try {
      Deno.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      db = this.#db = new DatabaseSync(path);
      this.#db.exec(
        `PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`,
      );
      prepareLayout(this.#db, path);
      Deno.chmodSync(path, 0o600);
      this.#statements = prepareAll(this.#db);
    } catch (e) {
      db?.close();
      if (e instanceof StoreError) throw e;
      throw new StoreError(storeFaultOf(e), openingFault(path, e), e);
    }
  }

  append(sessionId: string, from: number, events: readonly SessionEvent[], durable: boolean): void {
    this.#write(durable, () => this.#insert(sessionId, from, events));
  }

  read(sessionId: string): LoggedEvent[] {
    return this.rows(sessionId).map(({ seq, time, event }, i) => {
      if (seq !== i) throw unreadable(sessionId, `event ${i} is missing`);
      return { seq, time, event: parsed(sessionId, seq, event) };
    });
  }

  /** A session's log as it is stored, for whoever wants what is left of a damaged one. */
  rows(sessionId: string): StoredRow[] {
    return this.#read(() =>
      this.#statements.events.all(sessionId).map((row) => ({
        seq: Number(row.seq),
        time: Number(row.time),
        event: String(row.event),
      }))
    );
  }

  list({ cwds, after, limit }: ListQuery): Summary[] {
    const { updated = Number.MAX_SAFE_INTEGER, id = "" } = after ?? {};
    const places = cwds === undefined ? null : JSON.stringify(cwds);
    return this.#read(() =>
      this.#statements.list.all(places, places, updated, updated, id, limit).map(summaryOf)
    );
  }

  cwds(): string[] {
    return this.#read(() => this.#statements.cwds.all().map((row) => String(row.cwd)));
  }

  summary(sessionId: string): Summary | undefined {
    return this.#read(() => this.#summary(sessionId));
  }

  copy(from: string, to: string, count: number, events: readonly SessionEvent[]): void {
    this.#write(true, () => {
      this.#statements.copy.run(to, from, count);
      const summary = this.#summary(from);
      if (summary) this.#statements.put.run(...summaryValues({ ...summary, id: to }));
      this.#insert(to, count, events);
    });
  }

  remove(sessionId: string): void {
    // What was deleted is overwritten: it is not to be found in the free pages of the file.
    this.#db.exec("PRAGMA secure_delete = ON");
    this.#write(true, () => {
      this.#statements.removeEvents.run(sessionId);
      this.#statements.removeSummary.run(sessionId);
    });
    try {
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // nor in the write-ahead log, unless another reads it
    } catch { /* the next checkpoint does it */ }
  }

  /** Was the file found to be damaged after it was opened? Nothing is written to it then. */
  get damaged(): boolean {
    return this.#damaged;
  }

  /** Reads the whole file to find out whether it is sound. */
  isSound(): boolean {
    try {
      return this.#db.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";
    } catch {
      return false;
    }
  }

  /** Takes over a log of another store with its times; harmless when the session is there. */
  adopt(sessionId: string, rows: readonly StoredRow[]): void {
    if (this.summary(sessionId)) return;
    this.#write(true, () => {
      let summary = emptySummary(sessionId);
      for (const { seq, time, event } of rows) {
        this.#statements.insert.run(sessionId, seq, time, event);
        summary = summarize(summary, { event: parsed(sessionId, seq, event), time });
      }
      this.#statements.put.run(...summaryValues(summary));
    });
  }

  close(): void {
    this.#db.close();
  }

  #insert(sessionId: string, from: number, events: readonly SessionEvent[]): void {
    const time = Date.now();
    events.forEach((event, i) =>
      this.#statements.insert.run(sessionId, from + i, time, JSON.stringify(event))
    );
    if (!events.some(changesSummary)) return;
    const before = this.#summary(sessionId) ?? emptySummary(sessionId);
    const after = events.reduce((summary, event) => summarize(summary, { event, time }), before);
    this.#statements.put.run(...summaryValues(after));
  }

  #summary(sessionId: string): Summary | undefined {
    const row = this.#statements.summary.get(sessionId);
    return row && summaryOf(row);
  }

  #write(durable: boolean, work: () => void): void {
    if (this.#damaged) throw new StoreError("damaged", SET_ASIDE);
    try {
      // NORMAL survives a killed process; FULL (about 3 ms) also a power cut, so only where it matters.
      this.#db.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}; BEGIN IMMEDIATE`);
      work();
      this.#db.exec("COMMIT");
    } catch (e) {
      this.#rollBack();
      throw this.#fault(e, writingFault(this.#path, e));
    }
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (e) {
      throw this.#fault(e, `${this.#path} cannot be read: ${messageOf(e)}. Try again.`);
    }
  }

  #fault(cause: unknown, message: string): StoreError {
    const fault = storeFaultOf(cause);
    this.#damaged ||= fault === "damaged";
    return new StoreError(fault, message, cause);
  }

  #rollBack(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch { /* the transaction had not begun, or SQLite rolled it back itself */ }
  }
}

/** For sessions that were open when the damage was found. */
const SET_ASIDE = "The session store was damaged and set aside: close this session and load it again.";

const SQL = {
  insert: "INSERT INTO events (session, seq, time, event) VALUES (?, ?, ?, ?)",
  events: "SELECT seq, time, event FROM events WHERE session = ? ORDER BY seq",
  copy: "INSERT INTO events SELECT ?, seq, time, event FROM events WHERE session = ? AND seq < ?",
  removeEvents: "DELETE FROM events WHERE session = ?",
  removeSummary: "DELETE FROM sessions WHERE id = ?",
  put: PUT_SUMMARY,
  summary: "SELECT * FROM sessions WHERE id = ?",
  cwds: "SELECT DISTINCT cwd FROM sessions WHERE prompted = 1",
  list: "SELECT * FROM sessions WHERE prompted = 1 AND " +
    "(? IS NULL OR cwd IN (SELECT value FROM json_each(?))) AND " +
    "(updated < ? OR (updated = ? AND id > ?)) ORDER BY updated DESC, id LIMIT ?",
} as const;

function prepareAll(db: DatabaseSync): Record<keyof typeof SQL, StatementSync> {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
  return Object.fromEntries(prepared) as Record<keyof typeof SQL, StatementSync>;
}

function summaryOf(row: Readonly<Record<string, unknown>>): Summary {
  return {
    id: String(row.id),
    cwd: String(row.cwd),
    roots: rootsOf(String(row.roots)),
    title: row.title === null ? undefined : String(row.title),
    updated: Number(row.updated),
    prompted: row.prompted === 1,
  };
}

function rootsOf(json: string): string[] {
  try {
    const roots: unknown = JSON.parse(json);
    return Array.isArray(roots) ? roots.map(String) : [];
  } catch {
    return []; // one damaged row must not hide the list
  }
}

function parsed(sessionId: string, seq: number, text: string): SessionEvent {
  let event: { readonly type?: unknown } | null;
  try {
    event = JSON.parse(text);
  } catch (e) {
    throw unreadable(sessionId, `event ${seq} is damaged`, e);
  }
  if (isEventType(event?.type)) return event as SessionEvent;
  if (typeof event?.type !== "string") throw unreadable(sessionId, `event ${seq} is damaged`);
  const type = JSON.stringify(event.type);
  throw new StoreError(
    "newer",
    `Session ${sessionId} was written by a newer version of this program (event of type ${type}): update it.`,
  );
}

function unreadable(sessionId: string, why: string, cause?: unknown): StoreError {
  const mend = `Its log can be saved with: dsh-acp sessions export ${sessionId}`;
  return new StoreError("other", `Session ${sessionId} cannot be opened: ${why}. ${mend}`, cause);
}

function openingFault(path: string, e: unknown): string {
  const mend = storeFaultOf(e) === "full"
    ? "Free some space on its disk."
    : "Set DSH_STATE_DIR or --state-dir to a directory that can be written.";
  return `The session store ${path} cannot be opened: ${messageOf(e)}. ${mend}`;
}

function writingFault(path: string, e: unknown): string {
  const cause = messageOf(e);
  if (/UNIQUE|PRIMARY KEY/i.test(cause)) {
    return "Another process has written to this session: close it there first.";
  }
  const mend = /full|I\/O/i.test(cause)
    ? ` Free some space on the disk of ${path}; the session goes on then.`
    : "";
  return `The session's log cannot be written: ${cause}.${mend}`;
}
