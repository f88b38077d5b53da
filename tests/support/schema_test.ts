import { assertEquals, assertStringIncludes } from "@std/assert";
import { faultsOfLine, MAX_LINE } from "./schema.ts";
import type { Fields } from "./wire.ts";

const METHODS = new Map<unknown, string>([[1, "session/prompt"], [2, "session/new"]]);

function faultsOf(message: Fields): string[] {
  return faultsOfLine(JSON.stringify({ jsonrpc: "2.0", ...message }), (id) => METHODS.get(id));
}

function update(update: Fields): Fields {
  return { method: "session/update", params: { sessionId: "s", update } };
}

const TEXT = { type: "text", text: "hello" };

Deno.test("a line is valid when the schema says so", () => {
  const chunk = { sessionUpdate: "agent_message_chunk", messageId: "m", content: TEXT };
  const call = {
    sessionUpdate: "tool_call",
    toolCallId: "c",
    title: "ls",
    kind: "execute",
    status: "pending",
  };
  const usage = { totalTokens: 3, inputTokens: 2, outputTokens: 1 };
  const unknown = { code: -32002, message: "No session x", data: { sessionId: "x" } };
  for (
    const message of [
      update(chunk),
      update(call),
      { id: 1, result: { stopReason: "end_turn", usage } },
      { id: 2, result: { sessionId: "s" } },
      { id: 1, error: unknown },
      { method: "_extension/anything", params: {} },
    ]
  ) assertEquals(faultsOf(message), []);
});

const BAD: [string, Fields, string][] = [
  ["an update of no known kind", update({ sessionUpdate: "agent_says" }), "unknown update"],
  [
    "a status that ACP lacks",
    update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "cancelled" }),
    "params",
  ],
  ["a chunk without content", update({ sessionUpdate: "agent_message_chunk" }), "params"],
  [
    "a member of our own at the root",
    update({ sessionUpdate: "agent_message_chunk", content: TEXT, x: 1 }),
    "member x",
  ],
  ["a method that ACP lacks", { method: "session/say", params: {} }, "undefined method"],
  ["a null result", { id: 1, result: null }, "null"],
  ["a stop reason that ACP lacks", { id: 1, result: { stopReason: "done" } }, "result"],
  ["bad usage", { id: 1, result: { stopReason: "end_turn", usage: { totalTokens: "3" } } }, "usage"],
  ["both result and error", { id: 1, result: {}, error: { code: 1, message: "x" } }, "exactly one"],
  ["neither result nor error", { id: 1 }, "exactly one"],
  ["an id that was never sent", { id: 9, result: {} }, "never sent"],
  ["an error code that is no integer", { id: 1, error: { code: "x", message: "x" } }, "integer"],
  ["an error of two lines", { id: 1, error: { code: 1, message: "a\nb" } }, "several lines"],
  ["a failure without details", { id: 1, error: { code: -32603, message: "a" } }, "details"],
  ["an unknown session without its id", { id: 1, error: { code: -32002, message: "a" } }, "sessionId"],
  ["no jsonrpc member", { jsonrpc: "1.0", id: 2, result: { sessionId: "s" } }, "jsonrpc"],
  [
    "a line that is too long",
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(MAX_LINE) } }),
    "bytes",
  ],
];
for (const [what, message, fault] of BAD) {
  Deno.test(`a line is refused with ${what}`, () =>
    assertStringIncludes(faultsOf(message).join("\n"), fault));
}

Deno.test("a line is refused when it is no JSON object", () => {
  for (const line of ["Check file:///mod.ts", "[]", "42"]) {
    assertEquals(faultsOfLine(line, () => undefined).length, 1);
  }
});
