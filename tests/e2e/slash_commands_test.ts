import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities, terminalCapabilities } from "../support/capabilities.ts";
import { namesIn } from "../support/files.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { joinChunks, onlyCard, terminalText, textOf } from "../support/updates.ts";
import type { Fields, Update } from "../support/wire.ts";

const NO_MODEL = { DEEPSEEK_API_KEY: undefined, DEEPSEEK_BASE_URL: undefined };
/** The last update of a kind, with all its fields. */
const last = (updates: readonly Update[], kind: string) =>
  updates.findLast((u) => u.sessionUpdate === kind) as unknown as Fields | undefined;
const optionIn = (updates: readonly Update[], id: string) =>
  (last(updates, "config_option_update")?.configOptions as Fields[]).find((o) => o.id === id)?.currentValue;

/** What is shown of the session when it is loaded, without the user's own messages. */
async function replayed(stage: Stage, session: Session): Promise<Update[]> {
  await stage.agent.call("session/close", { sessionId: session.id });
  const from = stage.agent.frames.length;
  await stage.load(session.id);
  return stage.agent.updatesOf(session.id, from).filter((u) => u.sessionUpdate.startsWith("agent_"));
}

onStage("commands with a slash", { client: plainCapabilities }, async (stage, t) => {
  const { agent, model } = stage;
  const session = await stage.session();
  const asked = () => model.calls.length;

  await t.step("are told behind the answer that opens a session, and when it is loaded", async () => {
    const isTold = (m: { params?: Fields }) =>
      (m.params?.update as Update | undefined)?.sessionUpdate === "available_commands_update" &&
      m.params?.sessionId === session.id;
    await agent.until(isTold, { from: 0, what: "the commands" });
    const told = last(agent.updatesOf(session.id), "available_commands_update")
      ?.availableCommands as Fields[];
    for (const name of ["compact", "model", "permission", "status"]) {
      assert(told.some((c) => c.name === name && c.description !== ""), name);
    }
    assertEquals(told.find((c) => c.name === "model")!.input, { hint: "provider/model" });
    await session.run("Hello");
    await agent.call("session/close", { sessionId: session.id });
    const from = agent.frames.length;
    await stage.load(session.id);
    await agent.until(isTold, { from, what: "the commands again" });
  });

  await t.step("are answered by this program: the model is not asked and reads none of it", async () => {
    const before = asked();
    const { updates, stopReason } = await session.prompt("/status");
    assertEquals([stopReason, asked()], ["end_turn", before]);
    const text = textOf(updates);
    for (const word of [session.id, session.cwd, "workspace", "deepseek/"]) assertStringIncludes(text, word);
    await session.run("And now?");
    assert(!model.lastCall.text.includes("/status"));
    assertEquals(model.lastCall.messages.findLast((m) => m.role === "user")?.content, "And now?");
  });

  await t.step("/model tells the models, and chooses one from the next prompt on", async () => {
    assertStringIncludes(textOf((await session.run("/model")).updates), "deepseek/deepseek-v4-pro");
    const { updates } = await session.run("/model deepseek/my-own");
    assertEquals(optionIn(updates, "model"), "deepseek/my-own");
    await session.run("Hello");
    assertEquals(model.lastCall.body.model, "my-own");
    assertMatch(textOf((await session.run("/model nonsense")).updates), /no model.*provider\/model/);
    assertMatch(
      textOf((await session.run("/model nobody/x")).updates),
      /stays as it is.*no provider "nobody"/,
    );
    assertMatch(textOf((await session.run("/model")).updates), /^In use: `deepseek\/my-own`/);
    await session.run("/model deepseek/deepseek-flash");
  });

  await t.step("/permission changes the mode as the option does", async () => {
    const { updates } = await session.run("/permission read-only");
    assertEquals(last(updates, "current_mode_update")?.currentModeId, "read-only");
    assertEquals(optionIn(updates, "permission"), "read-only");
    assertMatch(textOf((await session.run("/permission sudo")).updates), /no `sudo`[^]*full-access/);
    await session.run("/permission workspace");
  });

  await t.step("/compact shortens what the model reads", async () => {
    const long = await stage.session();
    assertMatch(textOf((await long.run("/compact")).updates), /nothing to compact/);
    await long.run(script(["text", "The harbour is called Wendhaven."]));
    await long.run("And what else?");
    await long.run("Anything?");
    const { updates } = await long.run("/compact");
    assertMatch(textOf(updates), /is compacted/);
    assertEquals(onlyCard(updates).status, "completed");
    await long.run("Go on.");
    const said = model.lastCall.messages.map((m) => contentText(m.content));
    assert(said.length < 6, `${said.length} messages`);
    assertStringIncludes(said[1]!, "The harbour is called Wendhaven.");
  });

  await t.step("that are unknown, or stand in the middle of a text, go to the model", async () => {
    for (const prompt of ["/unknown thing", "see /status", "/etc/passwd is what?"]) {
      await session.run(prompt);
      assertEquals(contentText(model.lastCall.messages.findLast((m) => m.role === "user")?.content), prompt);
    }
  });

  await t.step("are shown again by a load", async () => {
    const fresh = await stage.session();
    const { updates } = await fresh.run("/permission");
    await fresh.run(script(["text", "said"]));
    const again = await replayed(stage, fresh);
    assertEquals(textOf(again), textOf(updates) + "said");
  });

  await t.step("as the first prompt give the session no title", async () => {
    const fresh = await stage.session();
    assertEquals(
      (await fresh.run("/status")).updates.filter((u) => u.sessionUpdate === "session_info_update"),
      [],
    );
    const { updates } = await fresh.run("Count the stars");
    const title = updates.find((u) => u.sessionUpdate === "session_info_update")?.title;
    assertEquals(title, "Count the stars");
  });
});

onStage("!command", { client: terminalCapabilities, env: NO_MODEL }, async (stage, t) => {
  const session = await stage.session();

  await t.step("runs without a model, in a card like any other", async () => {
    const { updates, stopReason } = await session.prompt("!echo hi; exit 3");
    const card = onlyCard(updates);
    assertEquals([stopReason, card.call.title, card.status], ["end_turn", "echo hi; exit 3", "failed"]);
    assertEquals(terminalText(updates, card.id), "hi\n");
  });

  await t.step("is confined like any other", async () => {
    await session.run(`!echo no > ${stage.outside}/f`);
    assertEquals(namesIn(stage.outside), []);
  });

  await t.step("can be cancelled", async () => {
    const turn = await session.begin("!echo up; sleep 600");
    await turn.until((u) => u.status === "in_progress", "the command to begin");
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
  });
});

onStage(
  "the model reads what the user ran by themselves",
  { client: terminalCapabilities },
  async (stage) => {
    const session = await stage.session();
    const { updates } = await session.run("!echo secret-word");
    assertEquals(stage.model.calls.length, 0);
    await session.run("What did I run?");
    const { messages } = stage.model.lastCall;
    assertEquals(messages.map((m) => m.role), ["system", "user"]);
    assertMatch(
      contentText(messages[1]!.content),
      /ran a command[^]*\$ echo secret-word\nsecret-word\n[^]*What did I run\?$/,
    );
    await stage.agent.call("session/close", { sessionId: session.id });
    const from = stage.agent.frames.length;
    await stage.load(session.id);
    const again = stage.agent.updatesOf(session.id, from).filter((u) => u.toolCallId !== undefined);
    assertEquals(joinChunks(again), joinChunks(updates.filter((u) => u.toolCallId !== undefined)));
  },
);
