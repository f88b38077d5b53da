import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { AgentError } from "../../src/errors.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { MemoryStore } from "../../src/session/memory_store.ts";
import { SqliteStore } from "../../src/session/sqlite_store.ts";

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
