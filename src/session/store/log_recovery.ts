import type { SessionEvent } from "../event.ts";
import { randomId } from "../ids.ts";

/** Why a log is closed: what its open calls, jobs and its turn are said to have come to. */
interface Words {
  readonly notStarted: string;
  readonly unknown: string;
  /** What became of a background job whose end nobody was told of. */
  readonly gone: string;
  readonly turn: string;
}

/** The process that wrote the log is dead. */
const DIED: Words = {
  notStarted: "The agent ended before this call was started. Nothing was run.",
  unknown: "The agent ended while this call ran: its outcome is unknown. Verify before retrying.",
  gone: "the agent ended, and with it this job. Its last output is lost.",
  turn: "The agent ended in the middle of this turn.",
};

/** The log was copied, and the original goes on. */
const FORKED: Words = {
  notStarted: "The conversation was forked before this call was started. Nothing was run for it here.",
  unknown:
    "The conversation was forked before this call had ended: its outcome is unknown here. Verify before retrying.",
  gone: "the conversation was forked; this job stays with the other session.",
  turn: "The conversation was forked in the middle of this turn.",
};

/**
 * The events that close what a dead process left open: the logs of children, each call as "not started" or
 * "outcome unknown", a compaction, then the turn, then the background jobs. Empty for a log that ends well.
 */
export function closingEvents(events: readonly SessionEvent[]): SessionEvent[] {
  return ends(events, DIED);
}

/** The same for a copied log, whose original may well go on. */
export function forkingEvents(events: readonly SessionEvent[]): SessionEvent[] {
  return ends(events, FORKED);
}

/**
 * The same for a live session whose last turn could not be logged to its end (a full disk): its calls have
 * ended, nobody wrote down how; its jobs run on.
 */
export function mendingEvents(events: readonly SessionEvent[]): SessionEvent[] {
  const words = {
    ...DIED,
    notStarted: "This call was not run: the session's log could not be written.",
    unknown: "The session's log could not be written while this call ran: its outcome is unknown. " +
      "Verify before retrying.",
    turn: "The session's log could not be written in the middle of this turn.",
  };
  return [...childEnds(events, words), ...turnEnds(events, words)];
}

function ends(events: readonly SessionEvent[], words: Words): SessionEvent[] {
  return [...childEnds(events, words), ...turnEnds(events, words), ...jobEnds(events, words)];
}

/** What closes the logs of children, each within its parent's: a child does not outlive its call. */
function childEnds(events: readonly SessionEvent[], words: Words): SessionEvent[] {
  const children = Map.groupBy(events.filter((e) => e.type === "child"), (e) => e.callId);
  return [...children].flatMap(([callId, logged]) =>
    ends(logged.map((e) => e.event), words).map((event): SessionEvent => ({ type: "child", callId, event }))
  );
}

function turnEnds(events: readonly SessionEvent[], words: Words): SessionEvent[] {
  let turn: string | undefined;
  let compaction: string | undefined;
  const open = new Map<string, "called" | "started">();
  for (const event of events) {
    if (event.type === "turn.started") turn = event.turn;
    else if (event.type === "turn.ended") turn = undefined;
    else if (event.type === "tool.called") open.set(event.callId, "called");
    else if (event.type === "tool.started") open.set(event.callId, "started");
    else if (event.type === "tool.ended") open.delete(event.callId);
    else if (event.type === "compaction.started") compaction = event.compaction;
    else if (event.type === "compaction.done" || event.type === "compaction.failed") compaction = undefined;
  }
  const calls = [...open].map(([callId, state]): SessionEvent => ({
    type: "tool.ended",
    callId,
    status: "failed",
    text: state === "called" ? words.notStarted : words.unknown,
  }));
  const failure = { kind: "internal", message: words.turn } as const;
  const end: SessionEvent[] = turn === undefined ? [] : [{ type: "turn.ended", turn, outcome: { failure } }];
  const summary: SessionEvent[] = compaction === undefined
    ? []
    : [{ type: "compaction.failed", compaction, cancelled: false, message: words.turn }];
  return [...calls, ...summary, ...end];
}

function jobEnds(events: readonly SessionEvent[], { gone }: Words): SessionEvent[] {
  const told = new Set(events.flatMap((e) => e.type === "job.ended" ? [e.job] : []));
  const lost = events.flatMap((e) => e.type === "job.started" && !told.has(e.job) ? [e] : []);
  return lost.map(({ job, command }): SessionEvent => ({
    type: "job.ended",
    messageId: randomId("msg"),
    inResult: false,
    job,
    command,
    outcome: { failure: gone },
  }));
}
