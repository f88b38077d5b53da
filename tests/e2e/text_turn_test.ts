import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { API_KEY } from "../support/stage.ts";
import { chunkText, isChunk, textOf } from "../support/updates.ts";
import type { Fields, Update } from "../support/wire.ts";

function idsOf(updates: readonly Update[], kind: string): unknown[] {
  return [...new Set(updates.filter((u) => u.sessionUpdate === kind).map((u) => u.messageId))];
}

onStage("a text turn", {}, async (stage, t) => {
  const session = await stage.session();

  await t.step("brings thoughts and text, then ends", async () => {
    const turn = await session.run(
      script(["think", "Let me see.", { chunks: 3 }], ["text", "Here it is.", { chunks: 4 }]),
    );
    assertEquals(textOf(turn.updates, "agent_thought_chunk"), "Let me see.");
    assertEquals(textOf(turn.updates), "Here it is.");
    const kinds = turn.updates.filter(isChunk).map((u) => u.sessionUpdate);
    assertEquals(kinds, kinds.toSorted().toReversed(), "the thought comes before the text");
  });

  await t.step("sends the key to the model, which knows the tools, in a small first request", () => {
    const [call] = stage.model.calls;
    assertEquals(call?.authorization, `Bearer ${API_KEY}`);
    const names = (call!.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    for (const name of ["bash", "read", "write", "edit"]) assert(names.includes(name), `no tool ${name}`);
    assert(call!.text.length <= 12 * 1024, `the first request has ${call!.text.length} bytes`);
  });

  await t.step("streams: the first words are there before the last were thought of", async () => {
    const turn = await session.begin(script(["text", "first"], ["gate", "stream"], ["text", " second"]));
    await turn.until((u) => chunkText(u) === "first", "the first words");
    stage.model.open("stream");
    const { updates } = await turn.end();
    assertEquals(textOf(updates), "first second");
    assertEquals(idsOf(updates, "agent_message_chunk").length, 1);
  });

  await t.step("names every message: one id each, another after every tool round", async () => {
    const { updates } = await session.run(
      script(["think", "a"], ["text", "b"], ["bash", "true"], ["think", "c"], ["text", "d", { chunks: 1 }]),
    );
    const thoughts = idsOf(updates, "agent_thought_chunk");
    const texts = idsOf(updates, "agent_message_chunk");
    assertEquals([thoughts.length, texts.length], [2, 2]);
    assertEquals(new Set([...thoughts, ...texts]).size, 4);
  });

  await t.step("ends with max_tokens when the model was cut short", async () => {
    const turn = await session.prompt(script(["text", "and then"], ["finish", "length"]));
    assertEquals(turn.stopReason, "max_tokens");
    assertEquals(textOf(turn.updates), "and then");
  });

  await t.step("remembers what was said", async () => {
    await session.run(script(["text", "The word is xylophone."]));
    await session.run("What was the word?");
    const { messages } = stage.model.lastCall;
    assert(messages.some((m) => m.role === "assistant" && contentText(m.content).includes("xylophone")));
  });
});

onStage("a prompt's content", {}, async (stage, t) => {
  const session = await stage.session();
  const text = { type: "text", text: "look at this" };
  const asked = () => contentText(stage.model.lastCall.messages.findLast((m) => m.role === "user")?.content);

  await t.step("may link a resource, whose address the model is told", async () => {
    await session.run([text, { type: "resource_link", uri: "file:///src/a%20b.ts", name: "a b.ts" }]);
    assertStringIncludes(asked(), "look at this");
    assertMatch(asked(), /\/src\/a(%20| )b\.ts/);
  });

  await t.step("may embed a text resource, which the model is given", async () => {
    const resource = { uri: "file:///src/main.rs#L10:20", text: "fn embedded_main() {}" };
    await session.run([text, { type: "resource", resource }]);
    assertStringIncludes(asked(), "fn embedded_main() {}");
    assertStringIncludes(asked(), "/src/main.rs");
  });

  await t.step("may be empty and is answered then too", async () => {
    for (const prompt of [[], [{ type: "text", text: "" }], [{ type: "text", text: " \n" }]]) {
      const { answer } = await session.prompt(prompt);
      assert(answer.result?.stopReason || answer.error?.code === -32602, JSON.stringify(answer));
    }
  });

  await t.step("is refused with an image or audio, which were not offered", async () => {
    const blocks: Fields[] = [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    ];
    for (const block of blocks) {
      const { answer } = await session.prompt([text, block]);
      assertEquals(answer.error?.code, -32602);
      assertStringIncludes(answer.error!.message, String(block.type));
    }
    assertNotEquals(textOf((await session.run("still there?")).updates), "");
  });

  await t.step("may carry _meta", async () => {
    const _meta = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const params = { sessionId: session.id, prompt: [text], _meta };
    assertEquals((await stage.agent.call("session/prompt", params)).stopReason, "end_turn");
  });
});

onStage(
  "characters that the model's stream cuts in two arrive whole",
  { model: { splitCharacters: true } },
  async (stage) => {
    const turn = await (await stage.session()).run(script(["think", "ü€"], ["text", "naïve \u{1F980} €"]));
    assertEquals(textOf(turn.updates, "agent_thought_chunk"), "ü€");
    assertEquals(textOf(turn.updates), "naïve \u{1F980} €");
  },
);
