import { assertEquals } from "@std/assert";
import { joinChunks } from "./updates.ts";
import type { Update } from "./wire.ts";

function text(messageId: string, text: string, sessionUpdate = "agent_message_chunk"): Update {
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

function output(terminal_id: string, data: string): Update {
  const _meta = { terminal_output: { terminal_id, data } };
  return { sessionUpdate: "tool_call_update", toolCallId: terminal_id, status: "in_progress", _meta };
}

function shown(toolCallId: string, text: string, status: string): Update {
  const content = [{ type: "content", content: { type: "text", text } }];
  return { sessionUpdate: "tool_call_update", toolCallId, status, content };
}

Deno.test("joinChunks() joins adjacent chunks of one message only", () => {
  assertEquals(joinChunks([text("m", "a"), text("m", "b"), text("n", "c")]), [
    text("m", "ab"),
    text("n", "c"),
  ]);
  const apart = [text("m", "a"), output("t", "x"), text("m", "b")];
  assertEquals(joinChunks(apart), apart);
  const kinds = [text("m", "a"), text("m", "b", "agent_thought_chunk")];
  assertEquals(joinChunks(kinds), kinds);
});

Deno.test("joinChunks() joins adjacent output of one terminal, and keeps its exit apart", () => {
  const exit: Update = {
    sessionUpdate: "tool_call_update",
    toolCallId: "t",
    status: "completed",
    _meta: { terminal_exit: { terminal_id: "t", exit_code: 0 } },
  };
  const updates = [output("t", "a"), output("t", "b"), output("u", "c"), output("t", "d"), exit];
  assertEquals(joinChunks(updates), [output("t", "ab"), output("u", "c"), output("t", "d"), exit]);
});

Deno.test("joinChunks() keeps of cumulative content the newest", () => {
  const updates = [
    shown("t", "a", "in_progress"),
    shown("t", "ab", "in_progress"),
    shown("t", "abc", "completed"),
  ];
  assertEquals(joinChunks(updates), updates.slice(2));
  assertEquals(joinChunks(updates.slice(0, 2)), updates.slice(1, 2));
});
