import { assertEquals, assertStringIncludes } from "@std/assert";
import { zedCapabilities } from "./capabilities.ts";
import type { Fields, Message } from "./wire.ts";
import { WireRules } from "./wire_rules.ts";

/** Rules of a connection on which session `s` is open and a prompt runs. */
function inTurn(clientCapabilities: Fields = zedCapabilities): WireRules {
  const rules = new WireRules();
  rules.sent({ id: 1, method: "initialize", params: { clientCapabilities } });
  rules.received({ id: 1, result: {} });
  rules.sent({ id: 2, method: "session/new", params: {} });
  rules.received({ id: 2, result: { sessionId: "s" } });
  rules.sent({ id: 3, method: "session/prompt", params: { sessionId: "s" } });
  return rules;
}

function update(update: Fields, sessionId = "s"): Message {
  return { method: "session/update", params: { sessionId, update } };
}

const CALL = { sessionUpdate: "tool_call", toolCallId: "c", title: "ls", kind: "execute", status: "pending" };
const DONE = { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" };
const ANSWER: Message = { id: 3, result: { stopReason: "end_turn" } };
const OUTPUT = { terminal_output: { terminal_id: "c", data: "x" } };

Deno.test("the rules find nothing in a turn as it should be", () => {
  const rules = inTurn();
  for (const message of [update(CALL), update({ ...DONE, _meta: OUTPUT }), ANSWER]) rules.received(message);
  assertEquals(rules.faults, []);
});

const FORM = { sessionId: "s", toolCallId: "c", mode: "form" };

Deno.test("the rules find nothing in a form for an open call of a client that knows forms", () => {
  const rules = inTurn();
  const form: Message = { id: 9, method: "elicitation/create", params: FORM };
  for (const message of [update(CALL), form, update(DONE), ANSWER]) rules.received(message);
  assertEquals(rules.faults, []);
});

const BROKEN: [string, Message[], string, Fields?][] = [
  ["an update behind the answer", [ANSWER, update(CALL)], "outside of a turn"],
  ["an update for a session before its answer", [update(CALL, "other")], "before its answer"],
  ["a second answer", [ANSWER, ANSWER], "answered twice"],
  ["a call that is never settled", [update(CALL), ANSWER], "open tool calls: c"],
  ["a call that was not announced", [update(DONE)], "not announced"],
  ["a call that was announced twice", [update(CALL), update(CALL)], "announced twice"],
  ["an update behind a call's end", [update(CALL), update(DONE), update(DONE)], "after its end"],
  ["an update without status", [update({ ...CALL, status: undefined })], "without status"],
  ["locations on a command", [update({ ...CALL, locations: [] })], "locations"],
  ["terminal output that was never declared", [update({ ...CALL, _meta: OUTPUT })], "never declared", {}],
  [
    "content beside terminal output",
    [update(CALL), update({ ...DONE, content: [], _meta: OUTPUT })],
    "replace",
  ],
  ["a chunk without message id", [
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } }),
  ], "messageId"],
  [
    "a method of the client that was never declared",
    [{ id: 9, method: "fs/read_text_file", params: {} }],
    "never declared",
    {},
  ],
  [
    "a form for a client that knows only pages",
    [update(CALL), { id: 9, method: "elicitation/create", params: FORM }],
    "mode that was never declared: form",
    { elicitation: { url: {} } },
  ],
  [
    "a form for a call that is not open",
    [update(CALL), update(DONE), { id: 9, method: "elicitation/create", params: FORM }],
    "no open tool call",
  ],
  [
    "the end of a page that was never declared",
    [{ method: "elicitation/complete", params: { elicitationId: "e" } }],
    "never declared",
    { elicitation: { form: {} } },
  ],
];
for (const [what, messages, fault, client] of BROKEN) {
  Deno.test(`the rules find ${what}`, () => {
    const rules = inTurn(client);
    for (const message of messages) rules.received(message);
    assertStringIncludes(rules.faults.join("\n"), fault);
  });
}
