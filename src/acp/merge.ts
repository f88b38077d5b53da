import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { CHUNK_BYTES } from "../presentation/bounds.ts";

/** Two neighbouring updates as one where they only append text to the same place; else undefined. */
export function merged(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  return mergedChunks(first, second) ?? mergedSummary(first, second) ?? mergedTerminalOutput(first, second);
}

function mergedChunks(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  if (first.sessionUpdate !== "agent_message_chunk" && first.sessionUpdate !== "agent_thought_chunk") {
    return undefined;
  }
  if (second.sessionUpdate !== first.sessionUpdate || second.messageId !== first.messageId) return undefined;
  if (first.content.type !== "text" || second.content.type !== "text") return undefined;
  const text = first.content.text + second.content.text;
  return fits(text) ? { ...first, content: { type: "text", text } } : undefined;
}

function mergedSummary(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  const kind = "compaction_summary_chunk";
  if (first.sessionUpdate !== kind || second.sessionUpdate !== kind) return undefined;
  if (second.compactionId !== first.compactionId) return undefined;
  if (first.content.type !== "text" || second.content.type !== "text") return undefined;
  const text = first.content.text + second.content.text;
  return fits(text) ? { ...first, content: { type: "text", text } } : undefined;
}

/** Keys of an update that does nothing but append terminal output. */
const OUTPUT_KEYS = "_meta,sessionUpdate,status,toolCallId";
const OUTPUTS = ["terminal_output", "terminal_output_delta"];

function mergedTerminalOutput(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  const [a, b] = [outputOf(first), outputOf(second)];
  if (!a || !b || a.key !== b.key || a.terminal !== b.terminal) return undefined;
  const data = a.data + b.data;
  return fits(data)
    ? { ...first, _meta: { [a.key]: { terminal_id: a.terminal, data } } } as SessionUpdate
    : undefined;
}

function outputOf(update: SessionUpdate): { key: string; terminal: string; data: string } | undefined {
  if (update.sessionUpdate !== "tool_call_update" || Object.keys(update).sort().join() !== OUTPUT_KEYS) {
    return undefined;
  }
  if (update.status !== "in_progress") return undefined; // the end of a call stays one, whatever it shows last
  const [[key, value] = ["", undefined], ...more] = Object.entries(update._meta ?? {});
  if (!OUTPUTS.includes(key) || more.length > 0) return undefined;
  const { terminal_id, data } = value as { terminal_id: string; data: string };
  return { key, terminal: terminal_id, data };
}

/** Cheap on purpose: a code unit is at most six bytes of JSON, so this needs no measuring. */
function fits(text: string): boolean {
  return text.length * 6 <= CHUNK_BYTES;
}
