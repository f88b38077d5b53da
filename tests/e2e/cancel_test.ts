import { assert, assertEquals } from "@std/assert";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { cardsOf, chunkText, isTool, onlyCard, outputOf, terminalText, textOf } from "../support/updates.ts";
import { eventually, pause } from "../support/waiting.ts";

const FOREVER = script(["text", "working"], ["stall"]);

onStage("session/cancel", {}, async (stage, t) => {
  const { agent, model } = stage;
  const session = await stage.session();

  await t.step("ends a turn whose model is silent, and hangs up on it", async () => {
    const asked = model.calls.length;
    const turn = await session.begin(script(["hang"]));
    await eventually("the model is asked", () => model.calls.length > asked);
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
    await eventually("the connection is closed", () => model.lastCall.closedByClient);
  });

  await t.step("ends a turn whose model streams, keeps what came, and hangs up", async () => {
    const turn = await session.begin(FOREVER);
    await turn.until((u) => chunkText(u) !== "", "the first words");
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, textOf(updates)], ["cancelled", "working"]);
    await eventually("the connection is closed", () => model.lastCall.closedByClient);
  });

  await t.step("ends a running command with all its processes, and settles its card", async () => {
    const sleep = uniqueSleep();
    const command = `trap '' TERM INT; echo out; (${sleep}; true) & setsid ${sleep} & ${sleep}`;
    const turn = await session.begin(script(["bash", command], ["text", "late"]));
    await turn.until((u) => outputOf(u) !== undefined, "the command's output");
    await eventually("all of it runs", () => processesRunning(sleep).length >= 3);
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals(stopReason, "cancelled");
    const card = onlyCard(updates);
    assertEquals([card.status, terminalText(updates, card.id)], ["failed", "out\n"]);
    assertEquals(textOf(updates), "");
    await eventually("its processes are gone", () => processesRunning(sleep).length === 0);
  });

  await t.step("ends a command that has hardly begun, and those that wait behind it", async () => {
    const sleep = uniqueSleep();
    const calls = ["a", "b", "c"].map((x) => ["bash", `touch ${x}; ${sleep}; touch ${x}-late`] as const);
    const turn = await session.begin(script(["par", calls], ["text", "late"]));
    await turn.until(isTool, "a tool call");
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals(stopReason, "cancelled");
    assertEquals(new Set(cardsOf(updates).map((card) => card.status)), new Set(["failed"]));
    await eventually("nothing of them runs", () => processesRunning(sleep).length === 0);
    assertEquals(namesIn(stage.workspace).filter((name) => name.endsWith("-late")), []);
  });

  await t.step("is not lost in the same write as its prompt", async () => {
    const prompt = session.promptMessage(FOREVER);
    await agent.write(prompt, session.cancelMessage());
    assertEquals((await agent.response(prompt.id)).result?.stopReason, "cancelled");
  });

  await t.step("ends the prompt before it, and not the one behind it", async () => {
    const [first, second] = [
      session.promptMessage(FOREVER),
      session.promptMessage(script(["text", "second"])),
    ];
    const from = agent.frames.length;
    await agent.write(first, session.cancelMessage(), second);
    assertEquals((await agent.response(first.id)).result?.stopReason, "cancelled");
    assertEquals((await agent.response(second.id)).result?.stopReason, "end_turn");
    assert(textOf(agent.updatesOf(session.id, from)).endsWith("second"));
  });

  await t.step("ends the running prompt and the one that waits behind it", async () => {
    const [running, waiting] = [
      session.promptMessage(FOREVER),
      session.promptMessage(script(["text", "never"])),
    ];
    const from = agent.frames.length;
    await agent.write(running, waiting);
    await agent.until((m) => m.method === "session/update", { from });
    await session.cancel();
    assertEquals((await agent.response(running.id)).result?.stopReason, "cancelled");
    assertEquals((await agent.response(waiting.id)).result?.stopReason, "cancelled");
    assert(!textOf(agent.updatesOf(session.id, from)).includes("never"));
  });

  await t.step("may come twice", async () => {
    const turn = await session.begin(FOREVER);
    await turn.until((u) => chunkText(u) !== "");
    await agent.write(session.cancelMessage(), session.cancelMessage());
    assertEquals((await turn.end()).stopReason, "cancelled");
  });

  await t.step("of an idle or unknown session does nothing, also to the next turn", async () => {
    const from = agent.frames.length;
    await session.cancel();
    await agent.notify("session/cancel", { sessionId: "never" });
    await pause(150);
    assertEquals(agent.frames.length, from);
    assertEquals(textOf((await session.run(script(["text", "fine"]))).updates), "fine");
  });

  await t.step("that comes late does not end the next turn", async () => {
    const turn = await session.begin(script(["text", "quick"]));
    await turn.end();
    await session.cancel();
    assertEquals(textOf((await session.run(script(["text", "next"]))).updates), "next");
  });

  await t.step("does not touch another session", async () => {
    const other = await stage.session();
    const turn = await other.begin(script(["text", "mine"], ["gate", "other"], ["text", " goes on"]));
    await turn.until((u) => chunkText(u) !== "");
    const cancelled = await session.begin(FOREVER);
    await cancelled.until((u) => chunkText(u) !== "");
    await session.cancel();
    assertEquals((await cancelled.end()).stopReason, "cancelled");
    model.open("other");
    assertEquals(textOf((await turn.end()).updates), "mine goes on");
  });

  await t.step("leaves a history that the model can be asked with again", async () => {
    await session.run(script(["text", "still sane"]));
    const [calls, results] = callsAndResults(model.lastCall);
    assertEquals(results, calls);
  });
});

onStage("a second prompt", {}, async (stage, t) => {
  const { agent, model } = stage;
  const session = await stage.session();

  await t.step("waits its turn and is lost not", async () => {
    const first = await session.begin(script(["text", "one"], ["gate", "first"]));
    await first.until((u) => chunkText(u) !== "");
    const second = await session.begin(script(["text", "two"]));
    await pause(100);
    assertEquals(textOf(second.updates), "");
    model.open("first");
    assertEquals((await first.end()).stopReason, "end_turn");
    const { stopReason, updates } = await second.end();
    assertEquals([stopReason, textOf(updates)], ["end_turn", "two"]);
  });

  await t.step("can be taken back by $/cancel_request, as the running one can", async () => {
    const running = await session.begin(FOREVER);
    await running.until((u) => chunkText(u) !== "");
    const waiting = await session.begin(script(["text", "never"]));
    for (const turn of [waiting, running]) {
      await agent.notify("$/cancel_request", { requestId: turn.requestId });
      const { answer, updates } = await turn.end();
      assert(
        answer.result?.stopReason === "cancelled" || answer.error?.code === -32800,
        JSON.stringify(answer),
      );
      assert(!textOf(updates).includes("never"));
    }
    assertEquals(textOf((await session.run(script(["text", "after"]))).updates), "after");
  });
});
