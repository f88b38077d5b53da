import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../session/event.ts";
import { clip, CONTENT_BYTES } from "./bounds.ts";
import { textContent } from "./content.ts";

type CompactionEvent = Extract<
  SessionEvent,
  { type: "compaction.started" | "compaction.done" | "compaction.failed" }
>;

/** The updates for a compaction: as such where the client knows them (`known`), else as a card. Pure. */
export function presentCompaction(event: CompactionEvent, known: boolean): SessionUpdate[] {
  return known ? [asSuch(event)] : asCard(event);
}

function asSuch(event: CompactionEvent): SessionUpdate {
  const base = { sessionUpdate: "compaction_update", compactionId: event.compaction } as const;
  switch (event.type) {
    case "compaction.started":
      return { ...base, status: "in_progress" };
    case "compaction.done":
      return {
        ...base,
        status: "completed",
        summary: [{ type: "text", text: clip(event.summary, CONTENT_BYTES) }],
      };
    case "compaction.failed":
      return event.cancelled
        ? { ...base, status: "cancelled" }
        : { ...base, status: "failed", error: clip(event.message, CONTENT_BYTES) };
  }
}

/** A card has no status for a cancel: it counts as failed, and says why. */
function asCard(event: CompactionEvent): SessionUpdate[] {
  const toolCallId = event.compaction;
  const update = (fields: Omit<ToolCallUpdate, "toolCallId">): SessionUpdate => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    ...fields,
  });
  switch (event.type) {
    case "compaction.started":
      return [
        {
          sessionUpdate: "tool_call",
          toolCallId,
          title: "Compact the conversation",
          kind: "think",
          status: "pending",
        },
        update({ status: "in_progress" }),
      ];
    case "compaction.done":
      return [update({ status: "completed", content: [textContent(clip(event.summary, CONTENT_BYTES))] })];
    case "compaction.failed": {
      const text = event.cancelled ? "Cancelled." : event.message;
      return [update({ status: "failed", content: [textContent(clip(text, CONTENT_BYTES))] })];
    }
  }
}
