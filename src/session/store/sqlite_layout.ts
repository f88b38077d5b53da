import type { DatabaseSync } from "node:sqlite";
import { isEventType, type SessionEvent } from "../event.ts";
import { StoreError } from "./store_error.ts";
import { changesSummary, emptySummary, summarize, type Summary } from "./summary.ts";

/** Layout of the tables; a database of a later layout is not touched. 2: summaries beside the logs. */
const LAYOUT = 2;

const TABLES = `
  CREATE TABLE IF NOT EXISTS events (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    time INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT NOT NULL PRIMARY KEY,
    cwd TEXT NOT NULL,
    roots TEXT NOT NULL,
    title TEXT,
    updated INTEGER NOT NULL,
    prompted INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS listed ON sessions (prompted, updated DESC, id);
  CREATE INDEX IF NOT EXISTS places ON sessions (prompted, cwd);
`;

/**
 * Makes the tables where there are none and brings those of an earlier layout up to date, in one transaction.
 * @throws StoreError("newer") for a later layout.
 */
export function prepareLayout(db: DatabaseSync, path: string): void {
  if (layoutOf(db, path) === LAYOUT) {
    db.exec("SELECT 1 FROM sessions LIMIT 1"); // looks into the file: damage is found here, not in a turn
    return;
  }
  db.exec("BEGIN IMMEDIATE");
  try {
    const layout = layoutOf(db, path); // once more: another process may have been first
    db.exec(TABLES);
    if (layout === 1) fillSummaries(db);
    db.exec(`PRAGMA user_version = ${LAYOUT}; COMMIT`);
  } catch (e) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw e;
  }
}

/** Writes a summary in place of an older one. */
export const PUT_SUMMARY = "INSERT OR REPLACE INTO sessions (id, cwd, roots, title, updated, prompted) " +
  "VALUES (?, ?, ?, ?, ?, ?)";

/** The values of {@linkcode PUT_SUMMARY}. */
export function summaryValues(s: Summary): (string | number | null)[] {
  return [s.id, s.cwd, JSON.stringify(s.roots), s.title ?? null, s.updated, s.prompted ? 1 : 0];
}

function layoutOf(db: DatabaseSync, path: string): number {
  const layout = Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (layout <= LAYOUT) return layout;
  throw new StoreError(
    "newer",
    `${path} was written by a newer version of this program: update it, or set DSH_STATE_DIR.`,
  );
}

/** Layout 1 had logs alone: their summaries are read off them, damaged events left out. */
function fillSummaries(db: DatabaseSync): void {
  const summaries = new Map<string, Summary>();
  const rows = db.prepare("SELECT session, time, event FROM events ORDER BY session, seq").iterate();
  for (const row of rows) {
    const [id, text] = [String(row.session), String(row.event)];
    const before = summaries.get(id) ?? emptySummary(id);
    summaries.set(id, before);
    const event = tellingEvent(text);
    if (event) summaries.set(id, summarize(before, { event, time: Number(row.time) }));
  }
  const put = db.prepare(PUT_SUMMARY);
  for (const summary of summaries.values()) put.run(...summaryValues(summary));
}

/** Most rows are pieces of text and output, which are told by their first characters and not parsed. */
function tellingEvent(text: string): SessionEvent | undefined {
  if (/^\{"type":"(text|thought|tool\.output)"/.test(text)) return undefined;
  try {
    const event = JSON.parse(text);
    return isEventType(event?.type) && changesSummary(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
