import { DatabaseSync, type StatementSync } from "node:sqlite";
import { join } from "@std/path/join";
import { AgentError, messageOf } from "../errors.ts";
import type { LoggedEvent, SessionEvent } from "./event.ts";
import type { SessionStore } from "./store.ts";

/** Layout of the tables; a database of a later layout is not touched. */
const LAYOUT = 1;
/** Milliseconds to wait for another process that is writing. */
const BUSY_TIMEOUT = 5000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS events (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    time INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;
`;

/** Logs in one SQLite database (write-ahead log) in the state directory. */
export class SqliteStore implements SessionStore {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  /** @throws AgentError("store") when the database cannot be opened or is of a later layout. */
  constructor(stateDir: string) {
    const path = join(stateDir, "sessions.sqlite");
    try {
      Deno.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      this.#db = new DatabaseSync(path);
      this.#db.exec(
        `PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`,
      );
      this.#checkLayout(path);
      this.#db.exec(TABLES);
      Deno.chmodSync(path, 0o600);
      this.#insert = this.#db.prepare("INSERT INTO events (session, seq, time, event) VALUES (?, ?, ?, ?)");
      this.#select = this.#db.prepare("SELECT seq, time, event FROM events WHERE session = ? ORDER BY seq");
    } catch (e) {
      if (e instanceof AgentError) throw e;
      const mend = "Set DSH_STATE_DIR or --state-dir to a directory that can be written.";
      throw new AgentError("store", `The session store ${path} cannot be opened: ${messageOf(e)}. ${mend}`, {
        cause: e,
      });
    }
  }

  append(sessionId: string, from: number, events: readonly SessionEvent[], durable: boolean): void {
    const time = Date.now();
    try {
      // NORMAL survives a killed process; FULL (about 3 ms) also a power cut, so only where it matters.
      this.#db.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}; BEGIN IMMEDIATE`);
      events.forEach((event, i) => this.#insert.run(sessionId, from + i, time, JSON.stringify(event)));
      this.#db.exec("COMMIT");
    } catch (e) {
      this.#rollBack();
      throw new AgentError("store", storeFault(e), { cause: e });
    }
  }

  read(sessionId: string): LoggedEvent[] {
    try {
      return this.#select.all(sessionId).map((row) => ({
        seq: Number(row.seq),
        time: Number(row.time),
        event: JSON.parse(String(row.event)) as SessionEvent,
      }));
    } catch (e) {
      throw new AgentError("store", `The log of session ${sessionId} cannot be read: ${messageOf(e)}`, {
        cause: e,
      });
    }
  }

  close(): void {
    this.#db.close();
  }

  #checkLayout(path: string): void {
    const layout = Number(this.#db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    if (layout > LAYOUT) {
      throw new AgentError(
        "store",
        `${path} was written by a newer version of this program: update it, or set DSH_STATE_DIR.`,
      );
    }
    if (layout === 0) this.#db.exec(`PRAGMA user_version = ${LAYOUT}`);
  }

  #rollBack(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch { /* the transaction had not begun, or SQLite rolled it back itself */ }
  }
}

function storeFault(e: unknown): string {
  const cause = messageOf(e);
  if (/UNIQUE|PRIMARY KEY/i.test(cause)) {
    return "Another process has written to this session: close it there first.";
  }
  return `The session's log cannot be written: ${cause}`;
}
