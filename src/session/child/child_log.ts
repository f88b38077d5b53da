import { EventLog } from "../event_log.ts";

/**
 * The log of the child that works for a call. It lies within its parent's, event by event and as durably: one
 * log tells the whole story of a session, in order. Running output is left out: no card shows a child's, and
 * what the child reads of it is in the call's end.
 */
export function childLog(parent: EventLog, callId: string): EventLog {
  return new EventLog(callId, {
    append: (_id, _from, events, durable) => {
      for (const event of events.filter((e) => e.type !== "tool.output")) {
        parent.append({ type: "child", callId, event }, durable);
      }
    },
    read: () =>
      parent.events().flatMap((e) => e.type === "child" && e.callId === callId ? [e.event] : [])
        .map((event, seq) => ({ seq, time: 0, event })), // when it was is known to the parent's store alone
  });
}
