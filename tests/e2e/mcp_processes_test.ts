import { assert } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { hostile, sessionWith } from "../support/mcp.ts";
import { contentText, script } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { isAlive, processesRunning as running, uniqueSleep } from "../support/process_tree.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { eventually } from "../support/waiting.ts";

const OPEN = { client: plainCapabilities, env: { DSH_PRESET: "full-access" } };

/** The command itself, not the processes that have its text among their arguments. */
const processesRunning = (command: string) =>
  running(command).filter((p) => p.command.split("/").at(-1) === command);

/** A session with a server that ignores the end of its input and TERM, and has a child of its own. */
async function stubborn(stage: Stage): Promise<{ session: Session; pid: number; child: string }> {
  const child = uniqueSleep();
  const session = await sessionWith(stage, [hostile("s", "stubborn", {}, child)]);
  await session.run(script(["tool", "mcp__s__pid", {}], ["text", "ok"]));
  const pid = Number(contentText(stage.model.lastCall.messages.findLast((m) => m.role === "tool")?.content));
  await eventually(
    "the server and its child run",
    () => isAlive(pid) && processesRunning(child).length === 1,
  );
  return { session, pid, child };
}

onStage("session/close ends a server that does not want to, and what it started", OPEN, async (stage) => {
  const { session, pid, child } = await stubborn(stage);
  const other = await stubborn(stage);
  await stage.agent.call("session/close", { sessionId: session.id });
  assert(!isAlive(pid));
  await eventually("its child is gone", () => processesRunning(child).length === 0);
  assert(isAlive(other.pid), "another session's server lives on");
});

onStage("a server that ends takes what it started along", OPEN, async (stage) => {
  const { session, pid, child } = await stubborn(stage);
  await session.run(script(["tool", "mcp__s__die", {}], ["text", "ok"]));
  await eventually("both are gone", () => !isAlive(pid) && processesRunning(child).length === 0);
});

onEmptyStage("no server outlives the agent", OPEN, async (stage, t) => {
  await t.step("when the client closes the agent's input", async () => {
    await stage.start();
    const { pid, child } = await stubborn(stage);
    await stage.stop();
    await eventually("both are gone", () => !isAlive(pid) && processesRunning(child).length === 0);
  });
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await t.step(`when the agent gets ${signal}`, async () => {
      const agent = await stage.start();
      const { pid, child } = await stubborn(stage);
      await agent.kill(signal);
      await eventually("both are gone", () => !isAlive(pid) && processesRunning(child).length === 0);
      await eventually("the watch is gone", () => running(`kill -s KILL -- -${pid}`).length === 0);
    });
  }
});
