import { assert, assertEquals } from "@std/assert";
import type { Answer } from "../../support/agent.ts";
import { exists } from "../../support/files.ts";
import { script } from "../../support/model_script.ts";
import { processesRunning, uniqueSleep } from "../../support/process_tree.ts";
import type { Session } from "../../support/session.ts";
import { chunkText, isTurnBound, onlyCard, outputOf, textOf } from "../../support/updates.ts";
import { eventually } from "../../support/waiting.ts";
import { type Check, withAgent } from "./check.ts";

const STALLED = script(["text", "on"], ["stall"]);

async function assertUsable(session: Session): Promise<void> {
  assertEquals(textOf((await session.run(script(["text", "usable"]))).updates), "usable");
}

/** Cancellation: 49–52. */
export const cancelChecks: readonly Check[] = [
  ["49 a cancel ends the wait for the model, its stream, and a command with all of it", async (stage) => {
    const session = await stage.session();
    const asked = stage.model.calls.length;
    const waiting = await session.begin(script(["hang"]));
    await eventually("the model is asked", () => stage.model.calls.length > asked);
    await session.cancel();
    assertEquals((await waiting.end()).stopReason, "cancelled");

    const streaming = await session.begin(STALLED);
    await streaming.until((u) => chunkText(u) !== "");
    await session.cancel();
    assertEquals((await streaming.end()).stopReason, "cancelled");

    const sleep = uniqueSleep();
    const running = await session.begin(script(["bash", `echo up; ${sleep} & ${sleep}`], ["text", "late"]));
    await running.until((u) => outputOf(u) !== undefined);
    await session.cancel();
    const { stopReason, updates } = await running.end();
    assertEquals([stopReason, onlyCard(updates).status, textOf(updates)], ["cancelled", "failed", ""]);
    await eventually("the command is gone", () => processesRunning(sleep).length === 0);
    await assertUsable(session);
  }],
  ["50 a cancel counts however early or often it comes, and never for the next turn", async (stage) => {
    const { agent } = stage;
    const session = await stage.session();
    const prompt = session.promptMessage(STALLED);
    await agent.write(prompt, session.cancelMessage(), session.cancelMessage());
    assertEquals((await agent.response(prompt.id)).result?.stopReason, "cancelled");
    await session.cancel();
    await agent.notify("session/cancel", { sessionId: "never" });
    await assertUsable(session);
    await session.cancel();
    await assertUsable(session);
  }],
  ["51 a prompt can be cancelled as a request too; of others that is harmless", async (stage) => {
    const { agent } = stage;
    const session = await stage.session();
    const turn = await session.begin(STALLED);
    await turn.until((u) => chunkText(u) !== "");
    await agent.notify("$/cancel_request", { requestId: turn.requestId });
    const { answer } = await turn.end();
    assert(answer.result?.stopReason === "cancelled" || answer.error?.code === -32800);
    const mode = { sessionId: session.id, modeId: "workspace" };
    const set = { id: agent.newId(), method: "session/set_mode", params: mode };
    await agent.write(set, { method: "$/cancel_request", params: { requestId: set.id } });
    await agent.response(set.id);
    await assertUsable(session);
  }],
  ["52 a question that is dismissed or never answered runs nothing, and the turn ends", async (stage) => {
    await withAgent(stage, { env: { DSH_PRESET: "read-only" } }, async (agent) => {
      const session = await stage.session();
      const write = script(["tool", "write", { path: "check-52.txt", content: "x" }], ["text", "no"]);
      agent.onRequest = () => ({ result: { outcome: { outcome: "cancelled" } } });
      assertEquals((await session.prompt(write)).stopReason, "cancelled");

      const asked = Promise.withResolvers<void>();
      agent.onRequest = () => {
        asked.resolve();
        return new Promise<Answer>(() => {});
      };
      const from = agent.frames.length;
      const turn = await session.begin(write);
      await asked.promise;
      await session.cancel();
      assertEquals((await turn.end()).stopReason, "cancelled");
      const question = agent.frames.find((f, i) =>
        i >= from && f.message.method === "session/request_permission"
      );
      const revoked = agent.frames.find((f) =>
        f.message.method === "$/cancel_request" && f.message.params?.requestId === question!.message.id
      );
      assert(revoked, "the open question is not taken back");
      assertEquals(exists(stage.path("check-52.txt")), false);
      assert(agent.updatesOf(session.id).some(isTurnBound));
    });
  }],
];
