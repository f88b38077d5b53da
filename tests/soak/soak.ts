// A long run of the real program: many sessions, tools, cancels, closes. No part of the tests, since it takes
// minutes: `deno task soak [TURNS] [SEED]`.
import { namesIn } from "../support/files.ts";
import { memoryOf } from "../support/process_tree.ts";
import { script } from "../support/model_script.ts";
import { Stage } from "../support/stage.ts";
import { eventually } from "../support/waiting.ts";
import { isResponse } from "../support/wire.ts";
import { dice, Driver } from "./driver.ts";

const SESSIONS = 50;
/** Turns of each session before memory is first measured. */
const WARM_UP = 4;
/** Sessions that have a turn at the same time: more only wait for each other. */
const AT_ONCE = 8;
/** MiB of heap that the agent is given: what one that forgets nothing would soon be out of. */
const HEAP = 128;
/** KiB that the agent may have grown by from the end of the warm-up to the end of all. */
const GROWTH = 96 * 1024;
/** What each kind of turn must end with. */
const ENDS: Readonly<Record<string, string>> = { cancel: "cancelled", close: "cancelled" };

const turns = Number(Deno.args[0] ?? 20);
const seed = Number(Deno.args[1] ?? Date.now() % 1_000_000);
const violations: string[] = [];
const counts = new Map<string, number>();

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) violations.push(otherwise);
}

/** How many sockets, and how many other things, a process holds open. */
function handles(pid: number): { sockets: number; others: number } {
  const links = [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) =>
    Deno.readLinkSync(`/proc/${pid}/fd/${name}`)
  );
  const sockets = links.filter((link) => link.startsWith("socket:")).length;
  return { sockets, others: links.length - sockets };
}

/** Plays some turns of each session, a few sessions at a time. */
async function play(drivers: readonly Driver[], turns: number): Promise<void> {
  const waiting = [...drivers];
  const worker = async () => {
    for (let driver = waiting.shift(); driver; driver = waiting.shift()) {
      for (let n = 0; n < turns; n++) await driver.turn();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Every prompt that was sent must have been answered, and once. */
function checkAnswers(stage: Stage, prompts: number): void {
  const answers = stage.agent.frames.map((f) => f.message).filter((m) =>
    isResponse(m) && (m.error !== undefined || m.result?.stopReason !== undefined)
  );
  const ids = new Set(answers.map((m) => m.id));
  expect(ids.size === answers.length, `${answers.length - ids.size} prompts were answered twice`);
  expect(answers.length === prompts, `${prompts} prompts have ${answers.length} answers`);
}

async function soak(stage: Stage): Promise<void> {
  const { model } = stage;
  // The server keeps every request, whose histories grow with the turns: of thousands this process would die.
  const forgetting = setInterval(() => [model.calls, model.titleCalls].map((calls) => calls.splice(0)), 1000);
  try {
    await run(stage);
  } finally {
    clearInterval(forgetting);
  }
}

async function run(stage: Stage): Promise<void> {
  const { agent } = stage;
  const first = await stage.session();
  await first.run(script(["bash", "true"], ["text", "ok"]));
  await agent.call("session/close", { sessionId: first.id });
  await eventually("the first executor is gone", () => agent.processes().length === 1);
  const handlesBefore = handles(agent.pid);

  const told = (kind: string, stopReason: string) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const wanted = ENDS[kind] ?? "end_turn";
    expect(stopReason === wanted, `a turn of kind ${kind} ended with ${stopReason}`);
  };
  const drivers = Array.from(
    { length: SESSIONS },
    (_, i) => new Driver(stage, `s${i}`, dice(seed + i), told),
  );
  const start = performance.now();
  const warmUp = Math.min(WARM_UP, turns);
  await play(drivers, warmUp);
  const warm = memoryOf(agent.pid, "VmRSS");
  await play(drivers, turns - warmUp);
  const end = memoryOf(agent.pid, "VmRSS");
  const seconds = (performance.now() - start) / 1000;

  for (const driver of drivers) await driver.close();
  await eventually("all executors are gone", () => agent.processes().length === 1).catch(() => {
    violations.push(`${agent.processes().length - 1} processes are left`);
  });
  const handlesAfter = handles(agent.pid);
  const closed = memoryOf(agent.pid, "VmRSS");
  say(`${SESSIONS} sessions × ${turns} turns in ${seconds.toFixed(0)} s, seed ${seed}`);
  say(`turns: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(", ")}`);
  say(
    `memory in KiB: warm ${warm}, at the end ${end}, all closed ${closed}; peak ${
      memoryOf(agent.pid, "VmHWM")
    }`,
  );
  say(
    `open handles: before ${JSON.stringify(handlesBefore)}, after ${
      JSON.stringify(handlesAfter)
    }; frames: ${agent.frames.length}`,
  );
  expect(end - warm < GROWTH, `memory grew by ${end - warm} KiB`);
  expect(handlesAfter.others <= handlesBefore.others, "handles are left open");
  // Connections to the model are kept for the next call: at most one for each turn at a time.
  expect(handlesAfter.sockets <= handlesBefore.sockets + AT_ONCE, "sockets are left open");
  expect(namesIn(`${stage.stateDir}/locks`).length === 0, "locks are left");
  expect(
    namesIn(stage.workspace).every((name) => /^s\d+\.txt$/.test(name)),
    "files are left in the workspace",
  );
  checkAnswers(stage, SESSIONS * turns + 1);
}

// What is not needed any more is only given back where memory is short: so it is.
const stage = await Stage.open({ env: { DENO_V8_FLAGS: `--max-old-space-size=${HEAP}` } });
try {
  await soak(stage);
  await stage.stop(); // the wire's own rules, the schema, stderr and the exit are checked by this
  expect(namesIn(stage.tempDir).length === 0, "temporary files are left");
} catch (thrown) {
  violations.push(thrown instanceof Error ? thrown.message : String(thrown));
}
await stage[Symbol.asyncDispose]().catch((e: Error) => violations.push(e.message));
for (const violation of new Set(violations)) say(`VIOLATION: ${violation}`);
if (violations.length === 0) say("Nothing is wrong.");
Deno.exit(violations.length > 0 ? 1 : 0);
