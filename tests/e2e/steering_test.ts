import { assert, assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { chunkText, textOf } from "../support/updates.ts";

onStage("steering", {}, async (stage, t) => {
  const { agent, model } = stage;
  const session = await stage.session();
  const steer = (text: string, sessionId = session.id) =>
    agent.request("_session/steering", { sessionId, prompt: [{ type: "text", text }] });

  await t.step("puts a message into the running turn, which its next model call reads", async () => {
    const turn = await session.begin(
      script(["text", "one"], ["gate", "go"], ["bash", "true"], ["text", "two"]),
    );
    await turn.until((u) => chunkText(u) !== "");
    assertEquals((await steer("and look at the tests")).result, { outcome: "injected" });
    model.open("go");
    assertEquals((await turn.end()).stopReason, "end_turn");
    const last = model.lastCall.messages.at(-1);
    assertEquals([last?.role, last?.content], ["user", "and look at the tests"]);
  });

  await t.step("keeps a turn going that would have ended", async () => {
    const before = model.calls.length;
    const turn = await session.begin(script(["text", "one"], ["gate", "end"]));
    await turn.until((u) => chunkText(u) !== "");
    await steer("one more thing");
    model.open("end");
    assert(textOf((await turn.end()).updates).startsWith("one"));
    assertEquals(model.calls.length - before, 2);
  });

  await t.step("tells that a prompt is wanted when nothing runs", async () => {
    assertEquals((await steer("hello")).result, { outcome: "failed", idleBehavior: "promptRequired" });
    assertEquals((await steer("hello", "sess_x")).error?.code, -32002);
    assertEquals((await agent.request("_session/steering", { sessionId: session.id })).error?.code, -32602);
  });

  await t.step("is shown again by session/load, in its place", async () => {
    await stage.stop();
    await using other = await stage.start();
    await other.request("session/load", { sessionId: session.id, cwd: session.cwd, mcpServers: [] });
    const shown = other.updatesOf(session.id).filter((u) => u.sessionUpdate === "user_message_chunk").map(
      chunkText,
    );
    assertEquals(shown.filter((text) => !text.startsWith("MOCK")), [
      "and look at the tests",
      "one more thing",
    ]);
  });
});
