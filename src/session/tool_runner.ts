import type { Executor } from "../bash/executor_handle.ts";
import { AgentError, isAbort, messageOf } from "../errors.ts";
import type { ModelCall } from "../model/model.ts";
import { type Action, decide } from "../permission/decide.ts";
import type { Preset } from "../config/config.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import { type Outcome, Refusal, type ToolContext } from "../tool/tool.ts";
import type { Block } from "../tool/view.ts";
import type { EventLog } from "./event_log.ts";
import type { Front, Workbench } from "./ports.ts";

/** What calls are run with. */
export interface RunnerDeps {
  readonly log: EventLog;
  readonly tools: ToolRegistry;
  readonly workbench: Workbench;
  readonly front: Front;
  readonly cwd: string;
  readonly preset: Preset;
}

/** What the model reads of a call that was not begun when the user cancelled. */
const CANCELLED: Outcome = { text: "[cancelled by the user]", isError: true, notRun: "cancelled" };

/**
 * Runs the calls of one reply and logs the end of each, whatever happens. Neighbours that only read run side
 * by side; all others one after the other. Once `signal` is aborted, or the user dismisses a question, the
 * calls that are left are closed unrun and an abort is thrown.
 */
export async function runCalls(
  calls: readonly ModelCall[],
  deps: RunnerDeps,
  signal: AbortSignal,
): Promise<void> {
  // Announced at once: every call of the reply is then in the log before the first side effect.
  for (const call of calls) {
    deps.log.append({ type: "tool.called", callId: call.id, name: call.name, args: call.args });
  }
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  for (const group of groupsOf(calls, deps.tools)) {
    await Promise.all(group.map((call) => runCall(call, deps, stopped, stop)));
  }
  stopped.throwIfAborted();
}

/** Splits calls into runs that may go side by side. */
function groupsOf(calls: readonly ModelCall[], tools: ToolRegistry): ModelCall[][] {
  const groups: ModelCall[][] = [];
  let lastReads = false;
  for (const call of calls) {
    const reads = tools.readsOnly(call.name);
    if (reads && lastReads) groups.at(-1)!.push(call);
    else groups.push([call]);
    lastReads = reads;
  }
  return groups;
}

async function runCall(
  call: ModelCall,
  deps: RunnerDeps,
  signal: AbortSignal,
  stop: AbortController,
): Promise<void> {
  const outcome = signal.aborted ? CANCELLED : await outcomeOf(call, deps, signal, stop);
  deps.log.append({
    type: "tool.ended",
    callId: call.id,
    status: outcome.isError ? "failed" : "completed",
    text: outcome.text,
    facts: outcome.facts,
    notRun: outcome.notRun,
  });
}

async function outcomeOf(
  call: ModelCall,
  deps: RunnerDeps,
  signal: AbortSignal,
  stop: AbortController,
): Promise<Outcome> {
  const parsed = deps.tools.parse(call.name, call.args);
  if (!parsed.ok) return { text: parsed.problem, isError: true };
  let unlogged: unknown;
  const context: ToolContext = {
    cwd: deps.cwd,
    signal,
    admit: (action, preview) => admit({ action, preview, callId: call.id, deps, signal, stop }),
    // Called from deep inside the executor's reader, where an exception would help nobody.
    emit: (text) => {
      try {
        deps.log.append({ type: "tool.output", callId: call.id, text });
      } catch (e) {
        unlogged ??= e;
      }
    },
  };
  try {
    const outcome = await parsed.tool.run(parsed.args, context);
    if (unlogged !== undefined) throw unlogged;
    return outcome;
  } catch (e) {
    if (signal.aborted || isAbort(e)) return CANCELLED;
    if (e instanceof Refusal) return { text: e.message, isError: true, notRun: "refused" };
    return { text: messageOf(e), isError: true };
  }
}

/** One wish of a running call. */
interface Wish {
  readonly action: Action;
  readonly preview: ((reader: Executor) => Promise<readonly Block[]>) | undefined;
  readonly callId: string;
  readonly deps: RunnerDeps;
  readonly signal: AbortSignal;
  /** Ends the turn when the user dismisses the question. */
  readonly stop: AbortController;
}

/** Decides, asks where needed, logs the start, gives the executor. See `ToolContext.admit`. */
async function admit(wish: Wish): Promise<Executor> {
  const { action, callId, deps, signal } = wish;
  const confined = await confinedExecutor(deps);
  const decision = decide({ preset: deps.preset, unconfinedBecause: confined.problem }, action);
  if (decision.verdict === "ask") await ask(wish, decision.reason, confined.executor);
  const executor = confined.executor === undefined
    ? await deps.workbench.executor(deps.preset, "unconfined")
    : action.kind === "edit" && decision.verdict === "ask"
    ? await deps.workbench.executor(deps.preset, "edit")
    : confined.executor;
  signal.throwIfAborted();
  deps.log.append({ type: "tool.started", callId }, true);
  return executor;
}

/** Puts the question to the user. Returns on a yes, throws on all else. */
async function ask(wish: Wish, reason: string, reader: Executor | undefined): Promise<void> {
  const { action, callId, deps, signal, stop } = wish;
  const preview = reader && await wish.preview?.(reader);
  const answer = await deps.front.ask({ callId, action, reason, preview }, signal);
  if (answer === "cancelled") stop.abort(new DOMException("The user dismissed the question.", "AbortError"));
  signal.throwIfAborted();
  if (answer !== "allow") {
    throw new Refusal("The user said no to this call. Do something else, or ask what is wanted.");
  }
}

/** The preset's own executor, or why there is none. */
async function confinedExecutor(
  deps: RunnerDeps,
): Promise<{ executor: Executor; problem?: undefined } | { executor?: undefined; problem: string }> {
  try {
    return { executor: await deps.workbench.executor(deps.preset) };
  } catch (e) {
    if (e instanceof AgentError && e.kind === "sandbox") return { problem: e.message };
    throw e;
  }
}
