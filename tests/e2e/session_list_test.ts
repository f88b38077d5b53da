import { assert, assertEquals, assertMatch } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { seedSessions } from "../support/stored.ts";
import type { Fields } from "../support/wire.ts";

/** Every page of a list, one after the other. */
async function pages(stage: Stage, params: Fields = {}): Promise<Fields[][]> {
  const found: Fields[][] = [];
  let cursor: unknown;
  do {
    const { sessions, nextCursor } = await stage.agent.call(
      "session/list",
      cursor === undefined ? params : { ...params, cursor },
    );
    found.push(sessions as Fields[]);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function ids(stage: Stage, params: Fields = {}): Promise<unknown[]> {
  return (await pages(stage, params)).flat().map((s) => s.sessionId);
}

onStage("session/list tells the sessions that were prompted, the last active first", {}, async (stage) => {
  assertEquals(await stage.agent.call("session/list", {}), { sessions: [] });
  const [first, second] = [await stage.session(), await stage.session()];
  await stage.session(); // never prompted
  await first.run("Please look   at\nthe tests. " + script(["text", "ok"]));
  await second.run(script(["text", "ok"]));
  await first.run(script(["text", "again"]));

  const [page] = await pages(stage);
  assertEquals(page!.map((s) => s.sessionId), [first.id, second.id]);
  const [info] = page!;
  assertMatch(String(info!.title), /^Please look at the tests\./);
  assert([...String(info!.title)].length <= 80);
  assertEquals([info!.cwd, "additionalDirectories" in info!], [stage.workspace, false]);
  assertEquals(new Date(String(info!.updatedAt)).toISOString(), info!.updatedAt);

  await stage.stop();
  await stage.start();
  assertEquals(await pages(stage), [page], "the next process tells the same");
});

onStage("session/list finds a folder by any of its names", {}, async (stage) => {
  await Deno.mkdir(stage.path("a"));
  await Deno.symlink(stage.path("a"), stage.path("link"));
  const here = await stage.session(stage.path("a"));
  await here.run(script(["text", "ok"]));
  const linked = await stage.session(stage.path("link"));
  await linked.run(script(["text", "ok"]));
  const other = await stage.session();
  await other.run(script(["text", "ok"]));

  for (const cwd of [stage.path("a"), `${stage.path("a")}/`, stage.path("link"), stage.path("link//")]) {
    assertEquals(await ids(stage, { cwd }), [linked.id, here.id], cwd);
  }
  assertEquals(await ids(stage, { cwd: stage.workspace }), [other.id]);
  assertEquals(await stage.agent.call("session/list", { cwd: stage.outside }), { sessions: [] });
  assertEquals((await stage.agent.refusal("session/list", { cwd: "a" })).code, -32602);
  await Deno.remove(stage.path("link"));
  await Deno.remove(stage.path("a"));
  assertEquals(await ids(stage, { cwd: `${stage.path("a")}/` }), [here.id], "by its text, now it is gone");
});

onStage("session/list gives pages whose order does not change", {}, async (stage) => {
  const seeded = await seedSessions(stage.stateDir, 123, (i) => ({ cwd: stage.workspace, time: i - i % 3 }));
  const all = await pages(stage);
  assertEquals(all.map((page) => page.length), [50, 50, 23]);
  const wanted = seeded.toSorted((a, b) => b.time - a.time || (a.id < b.id ? -1 : 1)).map((s) => s.id);
  assertEquals(all.flat().map((s) => s.sessionId), wanted);
  assertEquals(await ids(stage, { cwd: stage.workspace }), wanted);
});

onStage("session/list ends a full last page without a cursor", {}, async (stage) => {
  await seedSessions(stage.stateDir, 50, (time) => ({ cwd: stage.workspace, time }));
  assertEquals((await pages(stage)).map((page) => page.length), [50]);
});

onStage("session/list keeps its pages below the bound of a line", {}, async (stage) => {
  const cwd = `/${"long/".repeat(700)}end`;
  await seedSessions(stage.stateDir, 60, (time) => ({ cwd, time }));
  const all = await pages(stage); // the length of each line is checked by the stage
  assertEquals(new Set(all.flat().map((s) => s.sessionId)).size, 60);
  assert(all.length > 2);
});

onStage("session/list refuses a cursor that it never gave", {}, async (stage) => {
  for (
    const cursor of ["nonsense", "", btoa("{}"), btoa('[1,"x"]'), btoa('["a","b"]'), "é", "x".repeat(9999)]
  ) {
    assertEquals((await stage.agent.refusal("session/list", { cursor })).code, -32602, cursor);
  }
});
