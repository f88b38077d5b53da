import { assertEquals } from "@std/assert";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { merged } from "../../src/acp/merge.ts";

const chunk = (
  kind: "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string,
): SessionUpdate => ({
  sessionUpdate: kind,
  messageId,
  content: { type: "text", text },
});
const output = (id: string, data: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  status: "in_progress",
  _meta: { terminal_output: { terminal_id: id, data } },
});

const summary = (compactionId: string, text: string): SessionUpdate => ({
  sessionUpdate: "compaction_summary_chunk",
  compactionId,
  content: { type: "text", text },
});

Deno.test("merged() joins text of one message and output of one terminal", () => {
  assertEquals(
    merged(chunk("agent_message_chunk", "m", "a"), chunk("agent_message_chunk", "m", "b")),
    chunk("agent_message_chunk", "m", "ab"),
  );
  assertEquals(merged(output("c", "a"), output("c", "b")), output("c", "ab"));
  assertEquals(merged(summary("k", "a"), summary("k", "b")), summary("k", "ab"));
});

Deno.test("merged() leaves all else apart", () => {
  const cases: [SessionUpdate, SessionUpdate][] = [
    [chunk("agent_message_chunk", "m", "a"), chunk("agent_message_chunk", "n", "b")],
    [chunk("agent_message_chunk", "m", "a"), chunk("agent_thought_chunk", "m", "b")],
    [output("c", "a"), output("d", "b")],
    [output("c", "a"), { ...output("c", "b"), status: "failed" } as SessionUpdate],
    [summary("k", "a"), summary("l", "b")],
    [output("c", "a"), { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" }],
    [output("c", "a"), {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "failed",
      _meta: { terminal_exit: { terminal_id: "c", exit_code: 1 } },
    }],
    [output("c", "x".repeat(8000)), output("c", "y".repeat(8000))],
  ];
  for (const [first, second] of cases) assertEquals(merged(first, second), undefined);
});
