import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildConfig } from "../../../src/config/load.ts";
import { silentLog } from "../../../src/log.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { randomId } from "../../../src/session/ids.ts";
import { SqliteStore } from "../../../src/session/store/sqlite_store.ts";
import { StateDir } from "../../../src/session/store/state_dir.ts";
import { databaseOf } from "../../support/stored.ts";

/** A state directory with sessions of some size in it; the last of them is not checkpointed. */
async function withState(
  sessions: number,
  body: (dir: string, ids: string[]) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const store = new SqliteStore(dir);
  // In order, so that what stands where in the file is the same in every run.
  const ids = Array.from({ length: sessions }, () => randomId("sess")).sort();
  for (const id of ids) store.append(id, 0, turnOf("x".repeat(20_000)), true);
  store.close();
  try {
    await body(dir, ids);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function turnOf(text: string): SessionEvent[] {
  return [
    { type: "session.created", cwd: "/w", preset: "workspace", version: "0" },
    { type: "turn.started", turn: "t", messageId: "m", prompt: [{ type: "text", text: "hello" }] },
    { type: "text", messageId: "m", text },
    { type: "turn.ended", turn: "t", outcome: { stop: "end_turn" } },
  ];
}

async function stateDir(dir: string): Promise<StateDir> {
  const config = await buildConfig({ stateDir: dir }, { HOME: "/home/u" }, "linux");
  return new StateDir({ config, log: silentLog });
}

async function keptFiles(dir: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(dir))).map((e) => e.name).filter((n) => n.includes(".damaged-"));
}

async function overwrite(path: string, at: number, length: number): Promise<void> {
  const file = await Deno.open(path, { write: true });
  await file.seek(at, Deno.SeekMode.Start);
  await file.write(new Uint8Array(length).fill(0xa5));
  file.close();
}

Deno.test("a file that is no database is kept aside, said once, and a new store works", () =>
  withState(1, async (dir) => {
    await Deno.writeTextFile(databaseOf(dir), "this is no database\n".repeat(500));
    const state = await stateDir(dir);
    const store = await state.store();
    const [note, ...more] = state.takeNotes();
    assertEquals([more, state.takeNotes()], [[], []]);
    assertMatch(note!, /damaged.*none of its sessions/);
    const kept = await keptFiles(dir);
    assertEquals(kept.length, 1);
    assertStringIncludes(note!, kept[0]!);
    assertStringIncludes(await Deno.readTextFile(`${dir}/${kept[0]}`), "this is no database");
    store.append(randomId("sess"), 0, turnOf("y"), true);
    assertEquals(store.list({ limit: 9 }).length, 1);
    await state.close();
  }));

Deno.test("of a database that lost its end, the sessions that can be read are carried over", () =>
  withState(20, async (dir, ids) => {
    const { size } = await Deno.stat(databaseOf(dir));
    await Deno.truncate(databaseOf(dir), Math.floor(size * 0.6 / 4096) * 4096);
    const state = await stateDir(dir);
    const store = await state.store();
    const left = ids.filter((id) => store.read(id).length > 0);
    assert(left.length > 0 && left.length < ids.length, `${left.length}`);
    assertStringIncludes(state.takeNotes()[0]!, `${left.length} sessions could be read`);
    const listed = store.list({ limit: 99 }).map((s) => s.id);
    assert(listed.every((id) => left.includes(id)));
    await state.close();
  }));

Deno.test("damage that shows later costs one call, then the rest is carried over", () =>
  withState(20, async (dir, ids) => {
    const state = await stateDir(dir);
    const store = await state.store();
    const { size } = await Deno.stat(databaseOf(dir));
    await overwrite(databaseOf(dir), Math.floor(size / 2 / 4096) * 4096, 6 * 4096);
    const read = (from: typeof store) =>
      ids.filter((id) => {
        try {
          return from.read(id).length > 0;
        } catch {
          return false;
        }
      });
    read(store);
    const next = await state.store();
    const left = read(next);
    assert(left.length > 0 && left.length < ids.length, `${left.length}`);
    assertEquals(state.takeNotes().length, 1);
    assertEquals((await keptFiles(dir)).length > 0, true);
    await state.close();
  }));

Deno.test("two processes that find the damage repair it once", () =>
  withState(1, async (dir) => {
    await Deno.writeTextFile(databaseOf(dir), "x".repeat(9999));
    const [a, b] = [await stateDir(dir), await stateDir(dir)];
    await Promise.all([a.store(), b.store()]);
    assertEquals((await keptFiles(dir)).length, 1);
    assertEquals([...a.takeNotes(), ...b.takeNotes()].length, 1);
    await Promise.all([a.close(), b.close()]);
  }));

Deno.test("a write-ahead log that was cut loses its end alone; a missing index none", () =>
  withState(1, async (dir, [id]) => {
    const writer = new SqliteStore(dir);
    for (let seq = 4; seq < 40; seq++) {
      writer.append(id!, seq, [{ type: "text", messageId: "m", text: "z".repeat(3000) }], true);
    }
    // A copy of the files as they are, as after a power cut; the writer itself would tidy up at its end.
    const copy = await Deno.makeTempDir();
    for (const suffix of ["", "-wal"]) {
      await Deno.copyFile(databaseOf(dir) + suffix, databaseOf(copy) + suffix);
    }
    writer.close();
    const { size } = await Deno.stat(databaseOf(copy) + "-wal");
    await Deno.truncate(databaseOf(copy) + "-wal", Math.floor(size / 2) + 17);
    const state = await stateDir(copy);
    const logged = (await state.store()).read(id!);
    assert(logged.length > 4 && logged.length < 40, `${logged.length}`);
    assertEquals([state.takeNotes(), await keptFiles(copy)], [[], []]);
    await state.close();
    await Deno.remove(copy, { recursive: true });
  }));

Deno.test("a place that cannot be written keeps sessions in memory and says so once", () =>
  withState(0, async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    const state = await stateDir(`${dir}/file/state`);
    const store = await state.store();
    const id = randomId("sess");
    state.lock(id).release();
    store.append(id, 0, turnOf("y"), true);
    assertEquals(((await state.store()).list({ limit: 9 })).map((s) => s.id), [id]);
    assertEquals(state.takeNotes().length, 1);
    assertEquals(state.takeNotes(), []);
    assert(!state.tempDir(id).startsWith(dir));
    await state.remove(id);
    assertEquals(store.read(id), []);
    await state.close();
  }));
