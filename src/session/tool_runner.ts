import type { JobTable } from "../bash/jobs.ts";
import { isAbort, messageOf } from "../errors.ts";
import type { ModelCall } from "../model/model.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import { ToolFault } from "../tool/fault.ts";
import { type ChildReport, type ChildTask, type Outcome, Refusal, type ToolContext } from "../tool/tool.ts";
import { type AdmissionDeps, admit, permit } from "./admission.ts";
import type { EventLog } from "./event_log.ts";

/** What calls are run with. */
export interface RunnerDeps extends AdmissionDeps {
  readonly log: EventLog;
  readonly tools: ToolRegistry;
  readonly jobs: JobTable;
  readonly delegate: Delegate;
  /** See `ToolContext`. */
  readonly privateHosts: readonly string[];
}

/** A child's task, with the call that it works for. */
export interface ChildOrder extends ChildTask {
  readonly callId: string;
  readonly signal: AbortSignal;
}

/** Runs a child; throws an abort when `signal` is aborted or the user dismisses a question of the child. */
export type Delegate = (order: ChildOrder) => Promise<ChildReport>;

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
  const place = { cwd: deps.cwd };
  const facts = await Promise.all(calls.map(({ name, args }) => deps.tools.classify(name, args, place)));
  calls.forEach(({ id, name, args }, i) => {
    const found = facts[i] === undefined ? {} : { facts: facts[i] };
    deps.log.append({ type: "tool.called", callId: id, name, args, ...found });
  });
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
    const reads = tools.readsOnly(call.name, call.args);
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
    images: outcome.images,
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
  if (!parsed.ok) return parsed.fault.outcome();
  let unlogged: unknown;
  let started = false;
  const start = () => {
    if (!started) deps.log.append({ type: "tool.started", callId: call.id }, true);
    started = true;
  };
  const dismiss = () => stop.abort(new DOMException("The user dismissed the question.", "AbortError"));
  const context: ToolContext = {
    cwd: deps.cwd,
    signal,
    jobs: deps.jobs,
    seen: (path) => deps.log.seen.hashOf(path),
    begin: () => deps.log.append({ type: "tool.started", callId: call.id }),
    admit: async (action, preview) => {
      const executor = await admit(deps, { callId: call.id, action, signal, dismiss }, preview);
      start();
      return executor;
    },
    permit: async (action) => {
      await permit(deps, { callId: call.id, action, signal, dismiss });
      start();
    },
    privateHosts: deps.privateHosts,
    delegate: async (task) => {
      try {
        return await deps.delegate({ ...task, callId: call.id, signal });
      } catch (e) {
        if (isAbort(e)) dismiss(); // whoever dismisses a child's question ends the whole turn, as with any other
        throw e;
      }
    },
    // Called from deep inside the executor's reader, where an exception would help nobody.
    emit: (text) => {
      try {
        deps.log.append({ type: "tool.output", callId: call.id, text });
      } catch (e) {
        unlogged ??= e;
      }
    },
    setPlan: (entries) => deps.log.append({ type: "plan.set", entries }),
    user: {
      elicit: (elicitation) => deps.front.elicit({ ...elicitation, callId: call.id }, signal),
      elicitationDone: (id) => deps.front.elicitationDone(id),
      choose: (choice) => deps.front.choose({ ...choice, callId: call.id }, signal),
    },
  };
  try {
    const outcome = await parsed.tool.run(parsed.args, context);
    if (unlogged !== undefined) throw unlogged;
    return outcome;
  } catch (e) {
    if (signal.aborted || isAbort(e)) return CANCELLED;
    if (e instanceof Refusal) return { text: e.message, isError: true, notRun: "refused" };
    return e instanceof ToolFault ? e.outcome() : { text: messageOf(e), isError: true };
  }
}
