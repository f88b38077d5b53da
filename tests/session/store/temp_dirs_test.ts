import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { randomId } from "../../../src/session/ids.ts";
import { lockSession } from "../../../src/session/store/lock.ts";
import { snapshotsIn } from "../../../src/session/undo/snapshots.ts";
import {
  pruneSnapshots,
  pruneTempDirs,
  removeIfEmpty,
  tempDirOf,
} from "../../../src/session/store/temp_dirs.ts";

const DAY = 24 * 60 * 60 * 1000;

async function names(dir: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(dir))).map((e) => e.name).sort();
}

Deno.test("old temporary directories go, new ones and those in use stay", async () => {
  const state = await Deno.makeTempDir();
  const [old, used, fresh] = [randomId("sess"), randomId("sess"), randomId("sess")];
  for (const id of [old, used, fresh]) {
    await Deno.mkdir(tempDirOf(state, id), { recursive: true });
    await Deno.writeTextFile(join(tempDirOf(state, id), "spill"), "x");
  }
  for (const id of [old, used]) await Deno.utime(tempDirOf(state, id), 1, 1);
  const lock = lockSession(state, used);
  await pruneTempDirs(state);
  assertEquals(await names(join(state, "tmp")), [used, fresh].sort());
  lock.release();
  await pruneTempDirs(state, Date.now() + 8 * DAY);
  assertEquals(await names(join(state, "tmp")), []);
  await pruneTempDirs(join(state, "nothing"));
  await Deno.remove(state, { recursive: true });
});

Deno.test("what was kept to take changes back goes when it is old, unless its session is open", async () => {
  const state = await Deno.makeTempDir();
  const [old, used] = [randomId("sess"), randomId("sess")];
  for (const id of [old, used]) await Deno.mkdir(join(snapshotsIn(state), id), { recursive: true });
  await pruneSnapshots(state, Date.now() + 29 * DAY);
  assertEquals((await names(snapshotsIn(state))).length, 2);
  const lock = lockSession(state, used);
  await pruneSnapshots(state, Date.now() + 31 * DAY);
  assertEquals(await names(snapshotsIn(state)), [used]);
  lock.release();
  await pruneSnapshots(join(state, "nothing"));
  await Deno.remove(state, { recursive: true });
});

Deno.test("removeIfEmpty() leaves what holds files", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(join(dir, "f"), "");
  await removeIfEmpty(dir);
  assertEquals(await names(dir), ["f"]);
  await Deno.remove(join(dir, "f"));
  await removeIfEmpty(dir);
  await removeIfEmpty(dir);
});
