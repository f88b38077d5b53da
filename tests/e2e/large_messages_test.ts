import { assert, assertEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import {
  cardsOf,
  isChunk,
  joinChunks,
  onlyCard,
  terminalText,
  textOf,
  toolContent,
} from "../support/updates.ts";

const EMOJI = "\u{1F980}".repeat(40_000);

// That every line stays below 64 KiB is checked of every agent in every test; these make it hard to.
onStage("what is long is split or cut, and stays right", {}, async (stage, t) => {
  const session = await stage.session();

  await t.step("a long text comes in pieces of one message", async () => {
    const { updates } = await session.run(script(["think", EMOJI], ["text", EMOJI]));
    assertEquals(textOf(updates) === EMOJI && textOf(updates, "agent_thought_chunk") === EMOJI, true);
    assertEquals(joinChunks(updates.filter(isChunk)).length, 2);
  });

  await t.step("many small pieces of a text are sent together", async () => {
    const start = performance.now();
    const text = "word ".repeat(4_000);
    const { updates } = await session.run(script(["text", text, { chunks: 4_000 }]));
    assertEquals(textOf(updates) === text, true);
    const frames = updates.filter(isChunk).length;
    const most = (performance.now() - start) / 16 + 3;
    assert(frames <= most, `${frames} frames, where ${most} would be one every 16 ms`);
  });

  await t.step("a command longer than the system takes as an argument runs", async () => {
    const command = `: '${"x".repeat(200_000)}'\necho end`;
    const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
    assertEquals(terminalText(updates, onlyCard(updates).id), "end\n");
  });

  await t.step("a large file is written whole, and its diff is cut with a note", async () => {
    const content = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join("");
    const { updates } = await session.run(
      script(["tool", "write", { path: "big.txt", content }], ["text", "ok"]),
    );
    const card = onlyCard(updates);
    assertEquals([card.status, await Deno.readTextFile(stage.path("big.txt")) === content], [
      "completed",
      true,
    ]);
    const shown = toolContent(card.last).map((c) => c.newText ?? c.content?.text ?? "").join("\n");
    assertHas(shown, /left out|omitted|truncated|more/);
  });

  await t.step("long names, paths, arguments and edits fit into a line", async () => {
    const long = "x".repeat(90_000);
    const { updates } = await session.run(script(
      ["tool", long, { a: long }],
      ["tool", "read", { path: long }],
      ["tool", "edit", { path: "big.txt", old_string: long, new_string: long + long }],
      ["bash", "true", { description: long, workdir: long }],
      ["text", "ok"],
    ));
    assertEquals(cardsOf(updates).map((card) => card.status), ["failed", "failed", "failed", "failed"]);
  });

  await t.step("all of it can be replayed", async () => {
    const told = textOf(stage.agent.updatesOf(session.id));
    await stage.stop();
    await stage.start();
    await stage.load(session.id);
    assertEquals(textOf(stage.agent.updatesOf(session.id)) === told, true);
  });
});
