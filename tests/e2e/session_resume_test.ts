import { assertEquals, assertStringIncludes } from "@std/assert";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { chunkText, isTurnBound, textOf } from "../support/updates.ts";

async function resume(stage: Stage, sessionId: string): Promise<Session> {
  await stage.agent.call("session/resume", { sessionId, cwd: stage.workspace });
  return new Session(stage.agent, sessionId, stage.workspace);
}

onStage("session/resume gives the context back and shows nothing of it", {}, async (stage) => {
  const session = await stage.session();
  await session.run(`The word is heron.\n${script(["bash", "echo seen"], ["text", "noted"])}`);
  const { messages } = stage.model.lastCall;
  await stage.stop();
  const agent = await stage.start();
  const resumed = await resume(stage, session.id);
  assertEquals(agent.updatesOf(session.id).filter(isTurnBound), []);
  const turn = await resumed.run(script(["text", "on"]));
  assertEquals(textOf(turn.updates), "on");
  assertEquals(stage.model.lastCall.messages.slice(0, messages.length), messages);
  assertStringIncludes(contentText(messages[1]?.content), "heron");
});

onStage("session/resume answers with options and modes as session/load does", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "ok"]));
  await stage.agent.call("session/set_mode", { sessionId: session.id, modeId: "read-only" });
  await stage.stop();
  const agent = await stage.start();
  const params = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  const resumed = await agent.call("session/resume", params);
  assertEquals(resumed, await agent.call("session/load", params));
  assertEquals((resumed.modes as { currentModeId: string }).currentModeId, "read-only");
});

onStage("session/resume refuses what session/load refuses", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "ok"]));
  await stage.stop();
  const agent = await stage.start();
  const code = async (sessionId: string, cwd: string) =>
    (await agent.refusal("session/resume", { sessionId, cwd })).code;
  assertEquals(await code("never", stage.workspace), -32002);
  assertEquals(await code(`sess_${"0".repeat(32)}`, stage.workspace), -32002);
  assertEquals(await code(session.id, stage.outside), -32602);
  assertEquals(await code(session.id, "."), -32602);
});

for (const method of ["session/load", "session/resume"]) {
  onStage(`${method} of a live session keeps its turn and its cancel`, {}, async (stage) => {
    const session = await stage.session();
    const turn = await session.begin(script(["text", "one "], ["gate", "go"], ["text", "two"], ["stall"]));
    await turn.until((u) => chunkText(u) !== "", "the first words");
    const params = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
    await stage.agent.call(method, params);
    const from = stage.agent.frames.length;
    stage.model.open("go");
    await stage.agent.until(() => textOf(stage.agent.updatesOf(session.id, from)) === "two", { what: "two" });
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
    assertEquals(textOf((await session.run(script(["text", "next"]))).updates), "next");
  });
}
