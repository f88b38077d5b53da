import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { isTurnBound, joinChunks, onlyCard, textOf, toolText } from "../support/updates.ts";
import type { Block, Update } from "../support/wire.ts";
import { eventually } from "../support/waiting.ts";

const TOO_LONG = "This model's maximum context length is 4711 tokens.";
/** The scripted model reads its script in what it is to summarise too: its first reply is also the summary. */
const FIRST = script(["text", "The harbour is called Wendhaven."]);

/** Two turns, of which the second is refused once as too long; gives the second's updates. */
async function refusedOnce(stage: Stage): Promise<readonly Update[]> {
  const session = await stage.session();
  await session.run(FIRST);
  const { updates } = await session.run(script(["flaky", 1, 400, TOO_LONG], ["text", "Going on."]));
  assertEquals(textOf(updates), "Going on.");
  const [refused, summarised, again] = stage.model.calls.slice(-3);
  assertEquals(summarised!.body.tools, undefined);
  const said = again!.messages.map((m) => contentText(m.content));
  assertEquals([refused!.messages.length, again!.messages.length], [4, 3]);
  assertStringIncludes(said[1]!, "The harbour is called Wendhaven.");

  const live = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
  await stage.stop();
  await stage.start();
  const loaded = await stage.load(session.id);
  const replayed = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
  assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), live);
  await loaded.run("and now?");
  assertEquals(
    stage.model.lastCall.messages.slice(0, 3),
    again!.messages,
    "the history is the same after a load",
  );
  return updates;
}

onStage(
  "a refused history is compacted and sent again, told to a client that knows compactions",
  { client: { session: { compaction: {} } } },
  async (stage) => {
    const updates = await refusedOnce(stage);
    const shown = updates.filter((u) => u.sessionUpdate === "compaction_update");
    assertEquals(shown.map((u) => u.status), ["in_progress", "completed"]);
    const pieces = updates.filter((u) => u.sessionUpdate === "compaction_summary_chunk");
    assertEquals(pieces.map((u) => (u.content as Block).text).join(""), "The harbour is called Wendhaven.");
    const meter = updates.filter((u) => u.sessionUpdate === "usage_update");
    assertEquals(
      meter.map((u) => u.used! < 3000),
      [true, true],
      "an estimate, then what the provider counted",
    );
    assertEquals(meter[1]!.used, 120);
  },
);

onStage(
  "a refused history is compacted and sent again, shown as a card to any other client",
  { client: plainCapabilities },
  async (stage) => {
    const card = onlyCard(await refusedOnce(stage));
    assertEquals([card.call.kind, card.call.status, card.status], ["think", "pending", "completed"]);
    assertStringIncludes(toolText(card.last), "Wendhaven");
  },
);

onStage("a history that stays too long ends in the provider's own words, and the session goes on", {
  client: { session: { compaction: {} } },
}, async (stage) => {
  const session = await stage.session();
  await session.run(FIRST);
  const before = stage.model.calls.length;
  const { answer } = await session.prompt(script(["http", 400, TOO_LONG]));
  assertStringIncludes(answer.error?.message ?? "", "4711 tokens");
  assertEquals(stage.model.calls.length - before, 3, "the call, the summary, one retry");
  await session.run("still there?");
  assert(stage.model.lastCall.text.includes("Wendhaven"));
});

/** A turn that is cancelled while its conversation is being summarised; gives the turn's updates. */
async function cancelledMeanwhile(
  stage: Stage,
  begun: (update: Update) => boolean,
): Promise<readonly Update[]> {
  const session = await stage.session();
  stage.model.open("summary");
  await session.run(script(["text", "The harbour is called Wendhaven."], ["gate", "summary"]));
  stage.model.shut("summary");
  const turn = await session.begin(script(["http", 400, TOO_LONG]));
  await turn.until(begun, "the summary's beginning");
  await eventually("the summary is asked for", () => stage.model.calls.length === 3);
  await stage.agent.write(session.cancelMessage());
  const { stopReason, updates } = await turn.end();
  assertEquals(stopReason, "cancelled");
  await eventually("its request is given up", () => stage.model.calls[2]!.closedByClient);
  stage.model.open("summary");
  await session.run("still there?");
  const said = stage.model.lastCall.messages.map((m) => contentText(m.content));
  assertEquals(said.filter((text) => text === "The harbour is called Wendhaven.").length, 1, "it is whole");
  const live = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
  await stage.stop();
  await stage.start();
  await stage.load(session.id);
  const replayed = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
  assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), live);
  return updates;
}

onStage("a cancel ends a compaction, told to a client that knows compactions", {
  client: { session: { compaction: {} } },
}, async (stage) => {
  const updates = await cancelledMeanwhile(stage, (u) => u.sessionUpdate === "compaction_summary_chunk");
  const shown = updates.filter((u) => u.sessionUpdate === "compaction_update");
  assertEquals(shown.map((u) => u.status), ["in_progress", "cancelled"]);
});

onStage("a cancel ends a compaction, whose card says so to any other client", {
  client: plainCapabilities,
}, async (stage) => {
  const updates = await cancelledMeanwhile(stage, (u) => u.status === "in_progress");
  const card = onlyCard(updates);
  assertEquals([card.call.kind, card.status], ["think", "failed"]);
  assertStringIncludes(toolText(card.last), "Cancelled.");
});
