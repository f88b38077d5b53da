import { assert, assertEquals } from "@std/assert";
import { counted, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { memoryOf } from "../support/process_tree.ts";
import { onlyCard, terminalText, textOf } from "../support/updates.ts";
import { pause } from "../support/waiting.ts";

/** Milliseconds for which the client does not read. */
const ABSENCE = 10_000;
/** KiB that the agent may grow by meanwhile; the command alone prints ten times as much. */
const GROWTH = 32 * 1024;
/** Numbers are said, so that a piece that is lost, doubled or out of order is seen. */
const NUMBERS = 2_000_000;

onStage("a client that stops reading slows the agent down and loses nothing", {}, async (stage, t) => {
  const { agent } = stage;
  const [talker, worker, third] = [await stage.session(), await stage.session(), await stage.session()];
  await talker.run(script(["count", 200_000, { chunks: 500 }]));
  await worker.run(script(["bash", "seq 1 200000"], ["text", "warm"]));
  const before = memoryOf(agent.pid, "VmRSS");

  agent.stopReading();
  const said = await talker.begin(script(["count", NUMBERS, { chunks: 4_000 }]));
  const done = await worker.begin(
    script(["bash", "seq 1 200000; yes 0123456789abcde | head -c 300000000; echo THE END"], ["text", "ok"]),
  );
  const asked = agent.newId();

  await t.step("its memory stays bounded while nobody reads", async () => {
    let highest = before;
    await agent.write({ id: asked, method: "session/list", params: {} });
    for (let waited = 0; waited < ABSENCE; waited += 100) {
      await pause(100);
      highest = Math.max(highest, memoryOf(agent.pid, "VmRSS"));
    }
    const growth = highest - before;
    assert(growth < GROWTH, `the agent grew by ${growth} KiB`);
    assert(textOf(said.updates).length < 1_000_000, "the client has read on");
  });

  agent.readOn();

  await t.step("all comes, in order, when it reads again", async () => {
    const [text, command] = [await said.end(), await done.end()];
    assertEquals([text.stopReason, command.stopReason], ["end_turn", "end_turn"]);
    assertEquals(textOf(text.updates) === counted(NUMBERS), true, "the text is not the one that was said");
    const card = onlyCard(command.updates);
    const output = terminalText(command.updates, card.id);
    assertEquals([card.status, card.last._meta?.terminal_exit?.exit_code], ["completed", 0]);
    assertEquals([output.slice(0, 6), output.slice(-8)], ["1\n2\n3\n", "THE END\n"]);
  });

  await t.step("what was asked meanwhile is answered, and the next turn is as quick as ever", async () => {
    const { sessions } = (await agent.response(asked)).result as { sessions: unknown[] };
    assertEquals(sessions.length, 2);
    assertEquals(textOf((await third.run(script(["text", "here"]))).updates), "here");
  });
});
