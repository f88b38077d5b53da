import { type JobEnd, JobTable } from "../../bash/jobs.ts";
import type { Preset } from "../../config/config.ts";
import { AgentError, isAbort, messageOf } from "../../errors.ts";
import type { ToolRegistry } from "../../tool/registry.ts";
import type { ChildReport } from "../../tool/tool.ts";
import { childFront } from "./child_front.ts";
import { childLog } from "./child_log.ts";
import type { EventLog } from "../event_log.ts";
import { failureOf } from "../failure.ts";
import { randomId } from "../ids.ts";
import { Slots } from "./slots.ts";
import { Steering } from "../steering.ts";
import type { ChildOrder, Delegate } from "../tool_runner.ts";
import { runTurn, type TurnDeps } from "../turn.ts";

/** Children of one turn that work at once: each keeps a model busy. */
const MAX_AT_ONCE = 4;
/** Model calls of one child: who needs more was given too much. */
const MAX_MODEL_CALLS = 50;
/** Milliseconds between two logged pieces of what a child says: its card shows less, and later. */
const FRAME_MS = 250;
/** What is the parent's alone: to have children, and to speak with the user. */
const PARENTS_ONLY: ReadonlySet<string> = new Set(["subagent", "plan", "ask_user"]);

/** What children are made with. */
export interface ChildrenDeps {
  /** The parent's turn: its model, its place, its bounds. */
  readonly turn: Omit<TurnDeps, "delegate">;
  /** The system prompt of a child under this preset. */
  readonly system: (preset: Preset, write: boolean) => Promise<string>;
}

/**
 * Runs the children of one turn. A child is a turn of its own, in a log of its own within the parent's: it has
 * the parent's model, never more than the parent's rights, no children, and nothing of it outlives its call.
 */
export function children(deps: ChildrenDeps): Delegate {
  const slots = new Slots(MAX_AT_ONCE);
  return (order) => slots.run(() => runChild(deps, order), order.signal);
}

async function runChild({ turn, system }: ChildrenDeps, order: ChildOrder): Promise<ChildReport> {
  const { callId, title, task, write, signal } = order;
  const preset = write ? turn.preset : "read-only";
  const log = childLog(turn.log, callId);
  const tools = childTools(turn.tools, write);
  const jobs = childJobs(log);
  const child: TurnDeps = {
    ...turn,
    log,
    tools,
    preset,
    jobs,
    front: childFront({ front: turn.front, callId, title, log, tools, cwd: turn.cwd }),
    steering: new Steering(), // what the user says meanwhile is for the parent
    maxModelCalls: Math.min(turn.maxModelCalls, MAX_MODEL_CALLS),
    frameMs: FRAME_MS,
    delegate: () => Promise.reject(new Error("A sub-agent has no sub-agents.")),
  };
  log.append({ type: "system.set", text: await system(preset, write), cwd: turn.cwd, preset });
  const id = randomId("turn");
  const prompt = [{ type: "text", text: task } as const];
  log.append({ type: "turn.started", turn: id, messageId: randomId("msg"), prompt });
  try {
    const stop = await runTurn(child, signal).finally(() => endJobs(jobs, log));
    log.append({ type: "turn.ended", turn: id, outcome: { stop } });
    return { text: lastWords(log, stop === "end_turn"), end: stop };
  } catch (e) {
    if (e instanceof AgentError && e.kind === "store") throw e; // nothing more can be logged
    const cancelled = signal.aborted || isAbort(e);
    const outcome = cancelled ? { stop: "cancelled" } as const : { failure: failureOf(e) };
    log.append({ type: "turn.ended", turn: id, outcome });
    if (cancelled) throw e;
    return { text: lastWords(log, false), end: { failure: messageOf(e) } };
  }
}

/** Without `write`: what only reads, and commands, which the preset `read-only` keeps from writing. */
function childTools(tools: ToolRegistry, write: boolean): ToolRegistry {
  return tools.only(({ name, readsOnly }) =>
    !PARENTS_ONLY.has(name) && (write || readsOnly === true || CONFINED.has(name))
  );
}

/** Tools that do only what their executor lets them. */
const CONFINED: ReadonlySet<string> = new Set(["bash", "job_output", "job_kill"]);

/** A child's background jobs: a table of its own, so that neither parent nor other children can name them. */
function childJobs(log: EventLog): JobTable {
  return new JobTable({
    journal: {
      started: (job) => log.append({ type: "job.started", ...job }),
      ended: (end) => logEnd(log, end),
    },
  });
}

/** Jobs end with the child; nobody is left to read of them. */
async function endJobs(jobs: JobTable, log: EventLog): Promise<void> {
  await jobs.close();
  jobs.reportEnded((end) => logEnd(log, end));
}

function logEnd(log: EventLog, end: JobEnd): void {
  log.append({ type: "job.ended", messageId: randomId("msg"), inResult: true, ...end });
}

/** The last that was said in words. When the child was done, what it said on its way there is no answer. */
function lastWords({ history }: EventLog, done: boolean): string {
  const said = history.messages().filter((m) => m.role === "assistant").filter((m) => m.text.trim() !== "");
  const last = said.at(-1);
  return last && !(done && last.calls.length > 0) ? last.text : "";
}
