import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { randomId } from "../../src/session/ids.ts";
import { SqliteStore } from "../../src/session/store/sqlite_store.ts";

/** The database of a state folder. */
export function databaseOf(stateDir: string): string {
  return join(stateDir, "sessions.sqlite");
}

/** Stores sessions of one turn each, whose last activity was at `time` (milliseconds). */
export function seedSessions(
  stateDir: string,
  count: number,
  of: (index: number) => { cwd: string; time: number },
): Promise<{ id: string; time: number }[]> {
  const store = new SqliteStore(stateDir);
  const seeded = Array.from({ length: count }, (_, i) => {
    const [id, { cwd, time }] = [randomId("sess"), of(i)];
    store.adopt(
      id,
      [
        { type: "session.created", cwd, preset: "workspace", version: "0" },
        { type: "turn.started", turn: "t", messageId: "m", prompt: [{ type: "text", text: `number ${i}` }] },
        { type: "turn.ended", turn: "t", outcome: { stop: "end_turn" } },
      ].map((event, seq) => ({ seq, time, event: JSON.stringify(event) })),
    );
    return { id, time };
  });
  store.close();
  return Promise.resolve(seeded);
}

/** Runs SQL on the database of a state folder, behind the program's back. */
export function alterDatabase(stateDir: string, sql: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(databaseOf(stateDir));
  if (values.length > 0) db.prepare(sql).run(...values);
  else db.exec(sql);
  db.close();
}
