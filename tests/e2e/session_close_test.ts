import { assert, assertEquals } from "@std/assert";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { isTool, onlyCard, textOf } from "../support/updates.ts";
import { eventually, pause } from "../support/waiting.ts";

const request = (id: number, method: string, sessionId: string) => ({ id, method, params: { sessionId } });

onStage("session/close ends an idle session and its processes; it can be loaded again", {}, async (stage) => {
  const { agent } = stage;
  const session = await stage.session();
  await session.run(script(["bash", "echo 1"], ["text", "kept"]));
  assert(agent.processes().length > 1, "there is an executor");
  assertEquals(await agent.call("session/close", { sessionId: session.id }), {});
  await eventually("the executor is gone", () => agent.processes().length === 1);
  assertEquals(namesIn(`${stage.stateDir}/locks`), []);
  const error = (await session.prompt("hello")).answer.error;
  assertEquals([error?.code, (error?.data as { sessionId: string }).sessionId], [-32002, session.id]);
  const mode = { sessionId: session.id, modeId: "confirm" };
  assertEquals((await agent.refusal("session/set_mode", mode)).code, -32002);

  const from = agent.frames.length;
  const loaded = await stage.load(session.id);
  assertEquals(textOf(agent.updatesOf(session.id, from)), "kept");
  assertEquals(textOf((await loaded.run(script(["text", "on"]))).updates), "on");
});

onStage(
  "session/close cancels what runs and what waits, and is silent behind its answer",
  {},
  async (stage) => {
    const { agent } = stage;
    const sleep = uniqueSleep();
    const session = await stage.session();
    const running = await session.begin(script(["bash", `echo up; ${sleep}`], ["text", "no"]));
    await running.until((u) => isTool(u) && u.status === "in_progress", "the command's start");
    const waiting = await session.begin(script(["text", "never"]));
    const close = request(agent.newId(), "session/close", session.id);
    await agent.write(close);
    const answered = await agent.until((m) => m.id === close.id && !m.method, { what: "the answer" });
    assertEquals(answered.message.result, {});
    const ends = [await running.end(), await waiting.end()];
    assertEquals(ends.map((turn) => turn.stopReason), ["cancelled", "cancelled"]);
    assertEquals(onlyCard(ends[0]!.updates).status, "failed");
    await eventually("the command is gone", () => processesRunning(sleep).length === 0);
    await pause(200);
    assertEquals(agent.frames.slice(answered.index + 1).map((f) => f.message), []);
  },
);

onStage("session/close takes an open question back", { env: { DSH_PRESET: "read-only" } }, async (stage) => {
  const { agent } = stage;
  const session = await stage.session();
  const asked = Promise.withResolvers<void>();
  agent.onRequest = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  const turn = await session.begin(
    script(["tool", "write", { path: "a.txt", content: "x" }], ["text", "no"]),
  );
  await asked.promise;
  assertEquals(await agent.call("session/close", { sessionId: session.id }), {});
  assertEquals((await turn.end()).stopReason, "cancelled");
  assertEquals(namesIn(stage.workspace), []);
});

onStage("session/close in one write with prompts hits those before it", {}, async (stage) => {
  const { agent } = stage;
  const session = await stage.session();
  const before = session.promptMessage(script(["text", "a"], ["stall"]));
  const behind = session.promptMessage(script(["text", "b"]));
  const close = request(agent.newId(), "session/close", session.id);
  await agent.write(before, close, behind);
  assertEquals((await agent.response(before.id)).result?.stopReason, "cancelled");
  assertEquals((await agent.response(close.id)).result, {});
  assertEquals((await agent.response(behind.id)).error?.code, -32002);
});

onStage("a load written right behind a close opens the session again", {}, async (stage) => {
  const { agent } = stage;
  const session = await stage.session();
  await session.run(script(["text", "kept"]));
  const close = request(agent.newId(), "session/close", session.id);
  const params = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  const load = { id: agent.newId(), method: "session/load", params };
  const prompt = session.promptMessage(script(["text", "on"]));
  await agent.write(close, load, prompt);
  for (const { id } of [close, load]) assert((await agent.response(id)).result);
  assertEquals((await agent.response(prompt.id)).result?.stopReason, "end_turn");
});

onStage("session/close of an id that nobody knows is -32002, of a stored one {}", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "ok"]));
  for (let i = 0; i < 2; i++) {
    assertEquals(await stage.agent.call("session/close", { sessionId: session.id }), {});
  }
  for (const sessionId of ["never", "../x", `sess_${"0".repeat(32)}`]) {
    const error = await stage.agent.refusal("session/close", { sessionId });
    assertEquals([error.code, error.data.sessionId], [-32002, sessionId]);
  }
});

onStage("a background job ends with its session", {}, async (stage) => {
  const sleep = uniqueSleep();
  const session = await stage.session();
  await session.run(script(["bash", sleep, { background: true }], ["text", "started"]));
  await eventually("the job runs", () => processesRunning(sleep).length > 0);
  await stage.agent.call("session/close", { sessionId: session.id });
  await eventually("the job is gone", () => processesRunning(sleep).length === 0);
});

onStage("a prompt that is refused for its form holds up no close", {}, async (stage) => {
  const { agent } = stage;
  const { id: sessionId } = await stage.session();
  const broken = { id: agent.newId(), method: "session/prompt", params: { sessionId, prompt: 5 } };
  const close = request(agent.newId(), "session/close", sessionId);
  await agent.write(broken, close);
  assertEquals((await agent.response(broken.id)).error?.code, -32602);
  assertEquals((await agent.response(close.id)).result, {});
});

onStage(
  "a session whose only prompt was taken back before its turn began is as if never prompted",
  {},
  async (stage) => {
    const { agent } = stage;
    for (const first of [undefined, "prompted before"]) {
      const session = await stage.session();
      if (first) await session.run(first);
      const prompt = session.promptMessage("hello");
      const close = request(agent.newId(), "session/close", session.id);
      await agent.write(prompt, close);
      assertEquals((await agent.response(prompt.id)).result?.stopReason, "cancelled");
      await agent.response(close.id);
      const load = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
      if (first) await stage.load(session.id);
      else assertEquals((await agent.refusal("session/load", load)).code, -32002);
    }
    assertEquals(((await agent.call("session/list", {})).sessions as unknown[]).length, 1);
  },
);
