import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { buildConfig } from "../../../src/config/load.ts";
import { AgentError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { demoModel } from "../../../src/model/demo.ts";
import { parseRules } from "../../../src/permission/rules.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { EventLog } from "../../../src/session/event_log.ts";
import { Session } from "../../../src/session/session.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FakeFront, FakeGrants, FakeWorkbench } from "../../support/fake_executor.ts";
import { FullStore } from "../../support/full_store.ts";

/** A session whose log has room for `room` events. */
async function sessionWithRoom(room: number) {
  const config = await buildConfig({}, { HOME: "/home/u" }, "linux");
  const store = new FullStore();
  store.room = room;
  const events = new EventLog("sess_test", store);
  const seen: SessionEvent[] = [];
  events.subscribe((e) => seen.push(e));
  const workbench = new FakeWorkbench();
  const session = new Session({
    ...{ id: "sess_test", cwd: "/w", tempDir: () => "/tmp/t", config, log: silentLog, events },
    ...{ tools: builtinTools(), workbench, front: new FakeFront(), grants: new FakeGrants() },
    ...{
      rules: parseRules({}),
      mcpServers: [],
      settings: { preset: config.preset, model: undefined, thought: undefined },
      lock: { release: () => {} },
    },
    openModel: () => Promise.resolve(demoModel({ sleep: () => Promise.resolve() })),
    secrets: () => [],
  });
  const play = async (...steps: unknown[]) => {
    const prompt = [{ type: "text", text: `demo: ${JSON.stringify(steps)}` } as const];
    return (await session.prompt(prompt, new AbortController().signal)).stop;
  };
  return { session, store, seen, play, commands: workbench.inner.commands };
}

Deno.test("wherever the disk becomes full in a turn, the next turn closes what stayed open and goes on", async () => {
  const turn = [["text", "a"], ["call", "bash", { command: "echo 1" }], ["text", "b"]];
  const whole = await sessionWithRoom(Infinity);
  await whole.play(...turn);
  for (let room = 0; room < whole.seen.length; room++) {
    const { store, seen, play, commands } = await sessionWithRoom(room);
    const error = await assertRejects(() => play(...turn), AgentError, "disk full");
    assertEquals(error.kind, "store");
    assertEquals(commands.length, seen.some((e) => e.type === "tool.started") ? 1 : 0);
    store.room = Infinity;
    assertEquals(await play(["text", "c"]), "end_turn");
    const open = new Set<string>();
    for (const event of seen) {
      if (event.type === "tool.called") open.add(event.callId);
      if (event.type === "tool.ended") assert(open.delete(event.callId), `${room}: a call ends once`);
      if (event.type === "turn.started" || event.type === "turn.ended") assertEquals(open.size, 0, `${room}`);
    }
    assertEquals(
      seen.filter((e) => e.type === "turn.started").length,
      seen.filter((e) => e.type === "turn.ended").length,
      `with room for ${room} events`,
    );
  }
});

Deno.test("a job that runs on over a full disk is not said to be gone", async () => {
  const { store, seen, play } = await sessionWithRoom(Infinity);
  await play(["call", "bash", { command: "serve", background: true }], ["text", "a"]);
  store.room = 1;
  await assertRejects(() => play(["text", "b"]), AgentError, "disk full");
  store.room = Infinity;
  await play(["text", "c"]);
  const told = seen.flatMap((e) => e.type === "job.ended" ? [JSON.stringify(e)] : []);
  for (const text of told) assert(!/ended, and with it/.test(text), text);
});

Deno.test("what a call came to while the log was full is unknown, and said so to the model", async () => {
  const { store, seen, play } = await sessionWithRoom(Infinity);
  await play(["text", "a"]);
  const before = seen.length;
  await play(["call", "bash", { command: "x" }], ["text", "b"]);
  const started = seen.findIndex((e, i) => i >= before && e.type === "tool.started") - before + 1;
  store.room = started;
  await assertRejects(() => play(["call", "bash", { command: "x" }], ["text", "b"]), AgentError);
  store.room = Infinity;
  await play(["text", "c"]);
  const ends = seen.flatMap((e) => e.type === "tool.ended" ? [e.text] : []);
  assertMatch(ends.at(-1)!, /outcome is unknown/);
});
