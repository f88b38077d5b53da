import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainCapabilities, terminalCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import {
  chunkText,
  isTurnBound,
  joinChunks,
  onlyCard,
  terminalText,
  textOf,
  toolText,
} from "../support/updates.ts";
import type { Update } from "../support/wire.ts";

const PROMPTS = [
  script(
    ["think", "First I think about it for a while.", { chunks: 6, ms: 20 }],
    ["text", "I will run something. ", { chunks: 4, ms: 20 }],
    ["bash", "echo one; sleep 0.2; echo two; sleep 0.2; printf 'th€ee'", { description: "Count to three" }],
    ["par", [["bash", "echo left; exit 3"], ["tool", "read", { path: "a.txt" }]]],
    ["tool", "edit", { path: "a.txt", old_string: "one", new_string: "1" }],
    ["tool", "write", { path: "new.txt", content: "fresh\n" }],
    ["tool", "edit", { path: "a.txt", old_string: "nowhere", new_string: "x" }],
    ["text", "All done.", { chunks: 3, ms: 20 }],
  ),
  script(["bash", "seq 1 3000; kill -9 $$"], ["think", "Hm."], ["text", "The end."]),
];

const CLIENTS = {
  "a client with terminal cards": terminalCapabilities,
  "a client with none": plainCapabilities,
};

for (const [name, client] of Object.entries(CLIENTS)) {
  onStage(`a loaded session looks the same as it did live, to ${name}`, {
    client,
    files: { "a.txt": "one\n" },
  }, async (stage) => {
    const live = await stage.session();
    for (const prompt of PROMPTS) await live.run(prompt);
    const told = shownBy(stage.agent.updatesOf(live.id));
    await stage.stop();

    await stage.start();
    const loaded = await stage.load(live.id);
    const replayed = stage.agent.updatesOf(live.id).filter(isTurnBound);
    assertEquals(joinChunks(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk")), told);
    const asked = joinChunks(replayed).filter((u) => u.sessionUpdate === "user_message_chunk").map(chunkText);
    assertEquals(asked, PROMPTS);
    const order = joinChunks(replayed).map((u) => u.sessionUpdate === "user_message_chunk");
    assertEquals(order.lastIndexOf(true) > 1, true, "the second prompt stands behind the first turn");

    const before = stage.model.lastCall.messages;
    await loaded.run(script(["text", "Going on."]));
    const { messages } = stage.model.lastCall;
    assertEquals(messages.slice(0, before.length), before, "the history is the same, byte for byte");
  });
}

/** What a client has shown of the conversation, with the pieces joined. */
function shownBy(updates: readonly Update[]): Update[] {
  return joinChunks(updates.filter(isTurnBound));
}

onStage(
  "a session that had terminal cards loads into a client that has none, and back",
  {},
  async (stage) => {
    const session = await stage.session();
    await session.run(script(["bash", "echo shown; exit 3"], ["text", "ok"]));
    await stage.stop();

    await stage.start({ client: plainCapabilities });
    await stage.load(session.id);
    const plain = onlyCard(stage.agent.updatesOf(session.id));
    assertEquals([plain.status, toolText(plain.last).includes("shown\n")], ["failed", true]);
    await stage.stop();

    await stage.start({ client: terminalCapabilities });
    await stage.load(session.id);
    const updates = stage.agent.updatesOf(session.id);
    const card = onlyCard(updates);
    assertEquals([terminalText(updates, card.id), card.last._meta?.terminal_exit?.exit_code], ["shown\n", 3]);
  },
);

onStage("session/load", {}, async (stage, t) => {
  const stored = await stage.session();
  await stored.run(script(["text", "kept"]));
  await stage.stop();
  const { root } = stage;
  const agent = await stage.start();
  const refusal = (sessionId: string, cwd: string) =>
    agent.refusal("session/load", { sessionId, cwd, mcpServers: [] });

  await t.step("refuses an id that it does not know, with -32002 and the id", async () => {
    const error = await refusal("never", stage.workspace);
    assertEquals([error.code, error.data.sessionId], [-32002, "never"]);
  });

  await t.step("refuses a relative folder", async () => {
    assertEquals((await refusal(stored.id, "workspace")).code, -32602);
  });

  await t.step("refuses another folder, naming both", async () => {
    const error = await refusal(stored.id, stage.outside);
    assertEquals(error.code, -32602);
    assertStringIncludes(error.message, stage.outside);
    assertStringIncludes(error.message, stage.workspace);
  });

  await t.step("refuses an id that is a path", async () => {
    for (const id of ["../../etc/passwd", "/etc/passwd", "", "a\0b"]) {
      const { code } = await refusal(id, stage.workspace);
      assert(code === -32002 || code === -32602, `${id}: ${code}`);
    }
  });

  await t.step("takes the same folder by another name", async () => {
    await Deno.symlink(stage.workspace, `${root}/alias`);
    const loaded = await stage.load(stored.id, `${root}/alias`);
    assertEquals(textOf(agent.updatesOf(stored.id)), "kept");
    await loaded.run(script(["text", "again"]));
  });

  await t.step("of one id twice in one write answers both and makes one session", async () => {
    const fresh = await stage.session();
    await fresh.run(script(["text", "shared"]));
    await stage.stop();
    const next = await stage.start();
    const load = () => ({
      id: next.newId(),
      method: "session/load",
      params: { sessionId: fresh.id, cwd: stage.workspace, mcpServers: [] },
    });
    const loads = [load(), load()];
    await next.write(...loads);
    for (const { id } of loads) assert((await next.response(id)).result);
    const from = next.frames.length;
    const asked = stage.model.calls.length;
    const prompt = [{ type: "text", text: script(["text", "once"]) }];
    await next.call("session/prompt", { sessionId: fresh.id, prompt });
    assertEquals([textOf(next.updatesOf(fresh.id, from)), stage.model.calls.length - asked], ["once", 1]);
  });

  await t.step("moves a session whose folder is gone to the requested one", async () => {
    const moved = `${root}/moved`;
    await Deno.mkdir(moved);
    await Deno.mkdir(`${root}/gone`);
    const session = await stage.session(`${root}/gone`);
    await session.run(script(["text", "kept"]));
    await stage.stop();
    await Deno.remove(`${root}/gone`);
    await stage.start();
    const loaded = await stage.load(session.id, moved);
    await loaded.run(script(["bash", "pwd"], ["text", "ok"]));
    const told = stage.model.lastCall.messages.findLast((m) => m.role === "tool");
    assertEquals(contentText(told?.content).trim(), moved);
  });

  await t.step("refuses a session that another process holds, and says so", async () => {
    const session = await stage.session();
    await session.run(script(["text", "held"]));
    const second = await stage.start();
    const error = await second.refusal("session/load", {
      sessionId: session.id,
      cwd: stage.workspace,
      mcpServers: [],
    });
    assert(error.message.length > 10, error.message);
    await session.run(script(["text", "still mine"]));
  });
});
