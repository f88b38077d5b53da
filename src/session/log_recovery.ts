import type { SessionEvent } from "./event.ts";
import { randomId } from "./ids.ts";

/** What a call without an end is closed with after a crash. */
const NOT_STARTED = "The agent ended before this call was started. Nothing was run.";
const UNKNOWN = "The agent ended while this call ran: its outcome is unknown. Verify before retrying.";
/** What became of a background job that was still running, or whose end nobody was told of. */
const GONE = "the agent ended, and with it this job. Its last output is lost.";

/**
 * The events that close what a dead process left open: each call as "not started" or "outcome unknown", then
 * the turn, then the background jobs. Empty for a log that ends well.
 */
export function closingEvents(events: readonly SessionEvent[]): SessionEvent[] {
  let turn: string | undefined;
  const open = new Map<string, "called" | "started">();
  for (const event of events) {
    if (event.type === "turn.started") turn = event.turn;
    else if (event.type === "turn.ended") turn = undefined;
    else if (event.type === "tool.called") open.set(event.callId, "called");
    else if (event.type === "tool.started") open.set(event.callId, "started");
    else if (event.type === "tool.ended") open.delete(event.callId);
  }
  const calls = [...open].map(([callId, state]): SessionEvent => ({
    type: "tool.ended",
    callId,
    status: "failed",
    text: state === "called" ? NOT_STARTED : UNKNOWN,
  }));
  const failure = { kind: "internal", message: "The agent ended in the middle of this turn." } as const;
  const end: SessionEvent[] = turn === undefined ? [] : [{ type: "turn.ended", turn, outcome: { failure } }];
  return [...calls, ...end, ...lostJobs(events)];
}

function lostJobs(events: readonly SessionEvent[]): SessionEvent[] {
  const told = new Set(events.flatMap((e) => e.type === "job.ended" ? [e.job] : []));
  const lost = events.flatMap((e) => e.type === "job.started" && !told.has(e.job) ? [e] : []);
  return lost.map(({ job, command }): SessionEvent => ({
    type: "job.ended",
    messageId: randomId("msg"),
    inResult: false,
    job,
    command,
    outcome: { failure: GONE },
  }));
}
