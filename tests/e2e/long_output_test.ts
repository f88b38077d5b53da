import { assert, assertEquals } from "@std/assert";
import { assertHas, excerpt } from "../support/asserts.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { memoryOf } from "../support/process_tree.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { onlyCard, terminalText } from "../support/updates.ts";

/** KiB that the agent may grow by while a command prints without end: what the collector is slow to free. */
const GROWTH = 64 * 1024;
/** Bytes that a terminal is sent at most of one command. */
const SHOWN = 512 * 1024;

/** Runs a command and proves that the agent's memory and what it sent stayed bounded. */
async function runBounded(stage: Stage, session: Session, command: string, args = {}) {
  const before = memoryOf(stage.agent.pid, "VmHWM");
  const from = stage.agent.frames.length;
  const { updates } = await session.run(script(["bash", command, args], ["text", "ok"]));
  const growth = memoryOf(stage.agent.pid, "VmHWM") - before;
  assert(growth < GROWTH, `the agent grew by ${growth} KiB`);
  const sent = stage.agent.frames.slice(from).reduce((sum, frame) => sum + frame.bytes, 0);
  assert(sent < 2 * SHOWN, `${sent} bytes were sent`);
  assert(stage.model.told.length < 256 * 1024, `the model is told ${stage.model.told.length} characters`);
  const card = onlyCard(updates);
  return { card, output: terminalText(updates, card.id) };
}

onStage("a long output", {}, async (stage, t) => {
  const session = await stage.session();
  await session.run(script(["bash", "seq 1 30000"], ["text", "warm"]));

  await t.step("of 100 MB is shown by head and tail, in bounded memory", async () => {
    const { card, output } = await runBounded(
      stage,
      session,
      "echo HEAD; yes 0123456789abcde | head -c 100000000; echo TAIL",
    );
    assertEquals([card.status, card.last._meta?.terminal_exit?.exit_code], ["completed", 0]);
    assertHas(output, /^HEAD\n0123456789abcde\n/);
    assertHas(output, /TAIL\n$/);
    assertHas(output, /[\d,. ]+ bytes omitted/);
    assert(output.length < SHOWN, `${output.length} characters were shown`);
  });

  await t.step("without an end is ended", async () => {
    const { card } = await runBounded(stage, session, "yes", { timeout_ms: 1_500 });
    assertEquals(card.status, "failed");
    assertHas(stage.model.told, /\[timed out after 1500ms\]|too much output/);
  });

  await t.step("is whole in a file that later commands can read", async () => {
    await session.run(script(["bash", "seq 1 100000"], ["text", "ok"]));
    const told = stage.model.told;
    const path = /\[output truncated[^\]]*?(\/[^\s\]]+)/.exec(told)?.[1];
    assert(path, `no path of a file is in ${excerpt(told)}`);
    await session.run(script(["bash", `wc -l < '${path}'; tail -n 1 '${path}'`], ["text", "ok"]));
    assertHas(stage.model.told, /^\s*100000\n100000/);
  });

  await t.step("on a single line is bounded too", async () => {
    const { card } = await runBounded(stage, session, "head -c 3000000 /dev/zero | tr '\\0' x");
    assertEquals(card.status, "completed");
  });

  await t.step("of characters that JSON blows up stays below the size of a line", async () => {
    const { updates } = await session.run(script(["bash", "head -c 300000 /dev/zero"], ["text", "ok"]));
    assertEquals(onlyCard(updates).status, "completed");
  });
});
