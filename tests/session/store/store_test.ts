import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { AgentError } from "../../../src/errors.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { MemoryStore } from "../../../src/session/store/memory_store.ts";
import { SqliteStore } from "../../../src/session/store/sqlite_store.ts";
import type { SessionStore } from "../../../src/session/store/store.ts";
import { StoreError } from "../../../src/session/store/store_error.ts";
import { alterDatabase } from "../../support/stored.ts";

const notice = (text: string): SessionEvent => ({ type: "notice", messageId: "m", severity: "info", text });

async function withDir(body: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("both stores give back what was appended, in order, by session", () =>
  withDir((dir) => {
    const sqlite = new SqliteStore(join(dir, "state"));
    for (const store of [sqlite, new MemoryStore()]) {
      store.append("a", 0, [notice("1"), notice("2")], false);
      store.append("b", 0, [notice("x\u0000é🙂")], true);
      store.append("a", 2, [notice("3")], true);
      assertEquals(
        store.read("a").map((l) => [l.seq, l.event]),
        [0, 1, 2].map((i) => [i, notice(`${i + 1}`)]),
      );
      assertEquals(store.read("b").map((l) => l.event), [notice("x\u0000é🙂")]);
      assertEquals(store.read("none"), []);
    }
    sqlite.close();
  }));

Deno.test("a number that is taken is refused and nothing of the batch stays", () =>
  withDir((dir) => {
    const store = new SqliteStore(dir);
    store.append("a", 0, [notice("1")], false);
    const error = assertThrows(
      () => store.append("a", 0, [notice("other")], false),
      AgentError,
      "Another process",
    );
    assertEquals(error.kind, "store");
    assertThrows(() => store.append("a", 0, [notice("x"), notice("y")], false), AgentError);
    assertEquals(store.read("a").length, 1);
    store.append("a", 1, [notice("2")], false); // the store goes on working
    store.close();
  }));

Deno.test("events are there for the next process, and readable by the user alone", () =>
  withDir((dir) => {
    const store = new SqliteStore(dir);
    store.append("a", 0, [notice("1")], false);
    // Not closed: as after kill -9, the next one opens the same files.
    const next = new SqliteStore(dir);
    assertEquals(next.read("a").length, 1);
    assertEquals(Deno.statSync(join(dir, "sessions.sqlite")).mode! & 0o777, 0o600);
    next.close();
    store.close();
  }));

Deno.test("a database of a newer version is not touched", () =>
  withDir((dir) => {
    const db = new DatabaseSync(join(dir, "sessions.sqlite"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    assertThrows(() => new SqliteStore(dir), AgentError, "newer version");
  }));

Deno.test("a state directory that cannot be made is named", () =>
  withDir((dir) => {
    Deno.writeTextFileSync(join(dir, "file"), "");
    assertThrows(() => new SqliteStore(join(dir, "file", "state")), AgentError, join(dir, "file", "state"));
  }));

const prompt = (text: string): SessionEvent => ({
  type: "turn.started",
  turn: "t",
  messageId: "m",
  prompt: [{ type: "text", text }],
});
const created = (cwd: string): SessionEvent => ({
  type: "session.created",
  cwd,
  preset: "workspace",
  version: "0",
});

/** Both stores, empty. */
function bothStores(dir: string): SessionStore[] {
  return [new SqliteStore(join(dir, "state")), new MemoryStore()];
}

Deno.test("list() tells prompted sessions, by last activity, then by id", () =>
  withDir((dir) => {
    using clock = new FakeTime(1000);
    for (const store of bothStores(dir)) {
      const told = (cwds?: string[]) => store.list({ cwds, limit: 9 }).map((s) => s.id);
      for (const id of ["c", "a", "b"]) store.append(id, 0, [created(`/${id}`), prompt(`to ${id}`)], false);
      store.append("never", 0, [created("/n"), notice("x")], false);
      assertEquals(told(), ["a", "b", "c"]);
      clock.now += 10;
      store.append("b", 2, [{ type: "text", messageId: "m", text: "small" }], false);
      assertEquals(told(), ["a", "b", "c"]);
      store.append("b", 3, [{ type: "turn.ended", turn: "t", outcome: { stop: "end_turn" } }], false);
      assertEquals(told(), ["b", "a", "c"]);
      assertEquals(told(["/a", "/c", "/n"]), ["a", "c"]);
      assertEquals(store.cwds().sort(), ["/a", "/b", "/c"]);
      const [, second] = store.list({ limit: 9 });
      assertEquals(store.list({ after: second, limit: 9 }).map((s) => s.id), ["c"]);
      assertEquals(store.list({ limit: 1 }).map((s) => s.title), ["to b"]);
      store.close();
    }
  }));

Deno.test("a clock that goes back changes neither the order of events nor what was active last", () =>
  withDir((dir) => {
    using clock = new FakeTime(5000);
    for (const store of bothStores(dir)) {
      clock.now = 5000;
      store.append("a", 0, [created("/a"), prompt("1")], false);
      clock.now = 1000;
      store.append("a", 2, [prompt("2")], false);
      assertEquals(store.read("a").map((l) => l.seq), [0, 1, 2]);
      assertEquals(store.summary("a")?.updated, 5000);
      store.close();
    }
  }));

Deno.test("copy() makes a log of its own, remove() leaves none", () =>
  withDir((dir) => {
    for (const store of bothStores(dir)) {
      store.append("a", 0, [created("/a"), prompt("1"), notice("late")], false);
      store.copy("a", "b", 2, [{ type: "session.forked", from: "a" }]);
      store.remove("a");
      store.remove("a");
      assertEquals([store.read("a"), store.summary("a")], [[], undefined]);
      assertEquals(store.read("b").map((l) => [l.seq, l.event.type]), [
        [0, "session.created"],
        [1, "turn.started"],
        [2, "session.forked"],
      ]);
      assertEquals(store.list({ limit: 9 }).map((s) => [s.id, s.title]), [["b", "1 (fork)"]]);
      store.close();
    }
  }));

Deno.test("a log with a damaged, unknown or missing event is refused, and no other", () =>
  withDir((dir) => {
    const store = new SqliteStore(dir);
    for (const id of ["torn", "newer", "gap", "nothing", "good"]) {
      store.append(id, 0, [created("/w"), prompt("hello"), notice("end")], false);
    }
    const alter = (sql: string) => alterDatabase(dir, sql);
    alter(`UPDATE events SET event = '{"type":"noti' WHERE session = 'torn' AND seq = 2`);
    alter(`UPDATE events SET event = '{"type":"mood.set"}' WHERE session = 'newer' AND seq = 2`);
    alter(`UPDATE events SET event = 'null' WHERE session = 'nothing' AND seq = 2`);
    alter(`DELETE FROM events WHERE session = 'gap' AND seq = 1`);
    alter(`UPDATE sessions SET roots = 'x' WHERE id = 'torn'`);
    assertThrows(() => store.read("torn"), AgentError, "event 2 is damaged");
    assertThrows(
      () => store.read("newer"),
      AgentError,
      'newer version of this program (event of type "mood.set")',
    );
    assertThrows(() => store.read("nothing"), AgentError, "event 2 is damaged");
    assertThrows(() => store.read("gap"), AgentError, "event 1 is missing");
    assertEquals(store.read("good").length, 3);
    assertEquals(store.list({ limit: 9 }).length, 5);
    assertEquals(store.rows("torn").length, 3);
    store.close();
  }));

Deno.test("a database of layout 1 gets its summaries, damaged events left out", () =>
  withDir((dir) => {
    const db = new DatabaseSync(join(dir, "sessions.sqlite"));
    db.exec(`CREATE TABLE events (session TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID; PRAGMA user_version = 1`);
    const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?)");
    const log = [
      created("/old"),
      { type: "session.moved", cwd: "/new" },
      prompt("first words"),
      prompt("later"),
    ];
    log.forEach((event, seq) => insert.run("a", seq, 100 + seq, JSON.stringify(event)));
    insert.run("b", 0, 900, "{broken");
    insert.run("b", 1, 901, JSON.stringify(prompt("whole")));
    db.close();
    for (let opened = 0; opened < 2; opened++) {
      const store = new SqliteStore(dir);
      assertEquals(store.list({ limit: 9 }).map((s) => [s.id, s.cwd, s.title, s.updated]), [
        ["b", "", "whole", 901],
        ["a", "/new", "first words", 103],
      ]);
      assertEquals(store.read("a").length, 4);
      store.close();
    }
  }));

Deno.test("a disk that is full is said to be, and writing goes on when there is room", () =>
  withDir((dir) => {
    const store = new SqliteStore(dir);
    store.append("a", 0, [created("/w"), prompt("1")], true);
    using _full = fullDisk();
    const error = assertThrows(
      () => store.append("a", 2, [notice("2")], true),
      StoreError,
      "Free some space",
    );
    assertEquals(error.fault, "full");
    _full.free();
    store.append("a", 2, [notice("2")], true);
    assertEquals(store.read("a").length, 3);
    store.close();
  }));

/** Makes every SQLite commit fail as on a full disk until it is freed. */
function fullDisk() {
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql: string) {
    if (sql === "COMMIT") throw new Error("database or disk is full");
    return exec.call(this, sql);
  };
  const free = () => void (DatabaseSync.prototype.exec = exec);
  return { free, [Symbol.dispose]: free };
}

/** Stands in for the clock of `Date.now`. */
class FakeTime {
  readonly #real = Date.now;
  now: number;

  constructor(now: number) {
    this.now = now;
    Date.now = () => this.now;
  }

  [Symbol.dispose](): void {
    Date.now = this.#real;
  }
}
