import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import type { ModelMessage } from "../../src/model/model.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { History } from "../../src/session/history.ts";
import { crashedSessions, cutSessions, damagedSessions, sessions } from "../support/event_sequences.ts";

function messagesOf(events: readonly SessionEvent[]): ModelMessage[] {
  const history = new History();
  for (const event of events) history.add(event);
  return history.messages();
}

/** A provider refuses a history in which a call has no result right behind it, or a result has no call. */
function assertPaired(messages: readonly ModelMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      assertEquals(message.callId, open.shift(), "a result without its call, or out of turn");
      continue;
    }
    assertEquals(open, [], "calls without a result");
    if (message.role === "assistant") {
      open = message.calls.map((call) => call.id);
      assert(message.text !== "" || open.length > 0, "a reply that says nothing");
    }
  }
  assertEquals(open, [], "calls without a result at the end");
}

function assertValid(messages: readonly ModelMessage[]): void {
  assertPaired(messages);
  const ids = messages.flatMap((m) => m.role === "assistant" ? m.calls.map((call) => call.id) : []);
  assertEquals(new Set(ids).size, ids.length, "call ids are not unique");
  assert(messages.length === 0 || messages[0]!.role === "user", "the first message is not the user's");
}

Deno.test("history: of any whole session it is valid for a provider", () => {
  fc.assert(fc.property(sessions, (events) => assertValid(messagesOf(events))));
});

Deno.test("history: of any session that crashed or still runs it is valid for a provider", () => {
  const logs = fc.oneof(crashedSessions, cutSessions());
  fc.assert(fc.property(logs, (events) => assertValid(messagesOf(events))));
});

Deno.test("history: no log, however damaged, makes an orphan of a call or of a result", () => {
  fc.assert(fc.property(damagedSessions, (events) => assertPaired(messagesOf(events))));
});

Deno.test("history: being read in between changes nothing of what was said", () => {
  // A turn reads the history before each model call; a load reads it once, at the end.
  fc.assert(fc.property(sessions, (events) => {
    const history = new History();
    for (const event of events) {
      if (event.type === "model.called") history.messages();
      history.add(event);
    }
    assertEquals(history.messages(), messagesOf(events));
  }));
});
