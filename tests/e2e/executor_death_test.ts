import { assert, assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { endProcess, processesRunning, uniqueSleep } from "../support/process_tree.ts";
import type { Session } from "../support/session.ts";
import { onlyCard, outputOf, terminalText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";

async function assertWorks(session: Session): Promise<void> {
  const { updates } = await session.run(script(["bash", "echo works"], ["text", "ok"]));
  assertEquals(terminalText(updates, onlyCard(updates).id), "works\n");
}

onStage("the death of what runs the commands", {}, async (stage, t) => {
  const session = await stage.session();
  const sleep = uniqueSleep();

  await t.step("by a signal from outside fails the running call and spares the session", async () => {
    const before = new Set(stage.agent.processes().map((p) => p.pid));
    const turn = await session.begin(script(["bash", `echo up; ${sleep}`], ["text", "went on"]));
    await turn.until((u) => outputOf(u) !== undefined, "the command's output");
    const helpers = stage.agent.processes().filter((p) =>
      !before.has(p.pid) && p.command.includes("--no-prompt")
    );
    assert(helpers.length > 0, "no process runs the commands");
    helpers.forEach(endProcess);
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, onlyCard(updates).status], ["end_turn", "failed"]);
    await eventually("the command is gone too", () => processesRunning(sleep).length === 0);
    await assertWorks(session);
  });

  await t.step("by the command itself does no more harm", async () => {
    const { updates } = await session.run(
      script(["bash", `kill -9 $PPID; ${sleep}`], ["text", "went on"]),
    );
    assertEquals(onlyCard(updates).status, "failed");
    await eventually("the command is gone too", () => processesRunning(sleep).length === 0);
    await assertWorks(session);
  });

  await t.step("cannot be feigned by what a command prints", async () => {
    const forged = JSON.stringify({ type: "exit", id: 1, code: 7 });
    const command =
      `echo '${forged}'; echo '${forged}' >&2; for fd in /proc/$PPID/fd/*; do echo '${forged}' > $fd; done; true`;
    const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
    assertEquals(onlyCard(updates).last._meta?.terminal_exit?.exit_code, 0);
    await assertWorks(session);
  });
});
