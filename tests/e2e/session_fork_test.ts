import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { contentText, script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { isTool, isTurnBound, textOf } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

async function fork(stage: Stage, sessionId: string, cwd: string = stage.workspace): Promise<Session> {
  const result = await stage.agent.call("session/fork", { sessionId, cwd, mcpServers: [] });
  assert(result.configOptions && result.modes);
  assertNotEquals(result.sessionId, sessionId);
  return new Session(stage.agent, String(result.sessionId), cwd);
}

/** What the model was last told of the end of a call. */
function lastResult(stage: Stage): string {
  return contentText(stage.model.lastCall.messages.findLast((m) => m.role === "tool")?.content);
}

onStage("session/fork of a live session goes its own way from there", {}, async (stage) => {
  const session = await stage.session();
  await session.run(`The word is heron.\n${script(["bash", "echo seen"], ["text", "noted"])}`);
  const common = stage.model.lastCall.messages.slice(1);
  const forked = await fork(stage, session.id);
  assertEquals(stage.agent.updatesOf(forked.id).filter(isTurnBound), [], "nothing is shown of it");

  await forked.run(script(["text", "left"]));
  assertEquals(stage.model.lastCall.messages.slice(1, 1 + common.length), common);
  await session.run(script(["text", "right"]));
  assert(!stage.model.lastCall.text.includes("left"));

  const { sessions } = await stage.agent.call("session/list", {});
  const titles = (sessions as Fields[]).map((s) => [s.sessionId, String(s.title).endsWith("(fork)")]);
  assertEquals(titles, [[session.id, false], [forked.id, true]]);
});

onStage("a fork stands by itself: its source may be deleted", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "kept"]));
  await stage.stop();
  await stage.start();
  const forked = await fork(stage, session.id);
  await stage.agent.call("session/delete", { sessionId: session.id });
  await stage.stop();
  await stage.start();
  const loaded = await stage.load(forked.id);
  assertEquals(textOf(stage.agent.updatesOf(forked.id)), "kept");
  await loaded.run(script(["bash", "echo $TMPDIR"], ["text", "on"]));
  assertStringIncludes(lastResult(stage), forked.id);
  assertStringIncludes(contentText(stage.model.lastCall.messages[0]?.content), forked.id);
});

onStage("session/fork in the middle of a turn leaves that turn alone", {}, async (stage) => {
  const session = await stage.session();
  const turn = await session.begin(
    script(["bash", "echo begun; until [ -e go ]; do sleep 0.05; done; echo done"], ["text", "ended"]),
  );
  await turn.until((u) => isTool(u) && u.status === "in_progress", "the command's start");
  const forked = await fork(stage, session.id);
  await forked.run(script(["text", "meanwhile"]));
  const [calls, results] = callsAndResults(stage.model.lastCall);
  assertEquals(results, calls);
  assertMatch(lastResult(stage), /forked/);
  await stage.write("go", "");
  assertEquals((await turn.end()).stopReason, "end_turn");
});

onStage("session/fork works for a session that another process holds", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "held"]));
  await stage.start();
  const forked = await fork(stage, session.id);
  await forked.run(script(["text", "mine"]));
  assertStringIncludes(stage.model.lastCall.text, "held");
  await session.run(script(["text", "still mine"]));
});

onStage(
  "session/fork may go to another folder; of an unprompted session it is a new one",
  {},
  async (stage) => {
    const session = await stage.session();
    const early = await fork(stage, session.id);
    await early.run(script(["text", "fresh"]));
    const there = `${stage.root}/elsewhere`;
    await Deno.mkdir(there);
    const forked = await fork(stage, early.id, there);
    await forked.run(script(["bash", "pwd"], ["text", "ok"]));
    assertEquals(lastResult(stage).trim(), there);
    await stage.agent.call("session/close", { sessionId: forked.id });
    const from = stage.agent.frames.length;
    await stage.load(forked.id, there);
    assertEquals(textOf(stage.agent.updatesOf(forked.id, from)), "freshok");
  },
);

onStage("session/fork says what is wrong with its parameters", {}, async (stage) => {
  const session = await stage.session();
  const right = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  const wrong: [params: Fields, code: number, named: string][] = [
    [{ sessionId: "never" }, -32002, "never"],
    [{ sessionId: 5 }, -32602, "sessionId"],
    [{ cwd: undefined }, -32602, "cwd"],
    [{ cwd: "rel" }, -32602, "rel"],
    [{ mcpServers: "x" }, -32602, "mcpServers"],
    [{ additionalDirectories: [5] }, -32602, "additionalDirectories"],
    [{ additionalDirectories: ["rel"] }, -32602, "rel"],
  ];
  for (const [params, code, named] of wrong) {
    const error = await stage.agent.refusal("session/fork", { ...right, ...params });
    assertEquals(error.code, code);
    assertStringIncludes(error.message, named);
  }
});
