import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../session/event.ts";
import { clip, CONTENT_BYTES, splitText } from "./bounds.ts";
import { textContent } from "./content.ts";

type CompactionEvent = Extract<
  SessionEvent,
  { type: "compaction.started" | "compaction.text" | "compaction.done" | "compaction.failed" }
>;

/** Shows compactions: as such to a client that knows them (`known`), its summary as it grows; else as a card. */
export class CompactionDisplay {
  readonly #known: boolean;
  /** What was shown of the open compaction's summary. */
  #shown = "";

  constructor(known: boolean) {
    this.#known = known;
  }

  /** The updates for the next event. */
  present(event: CompactionEvent): SessionUpdate[] {
    return this.#known ? this.#asSuch(event) : asCard(event);
  }

  #asSuch(event: CompactionEvent): SessionUpdate[] {
    const { compaction: compactionId } = event;
    const base = { sessionUpdate: "compaction_update", compactionId } as const;
    switch (event.type) {
      case "compaction.started":
        this.#shown = "";
        return [{ ...base, status: "in_progress" }];
      case "compaction.text":
        this.#shown += event.text;
        return splitText(event.text).map((text) => ({
          sessionUpdate: "compaction_summary_chunk",
          compactionId,
          content: { type: "text", text },
        }));
      case "compaction.done": {
        const known = this.#shown.trim() === event.summary;
        const text = clip(event.summary, CONTENT_BYTES);
        return [{ ...base, status: "completed", ...(known ? {} : { summary: [{ type: "text", text }] }) }];
      }
      case "compaction.failed": {
        const half = this.#shown === "" ? {} : { summary: null }; // it stands for nothing
        if (event.cancelled) return [{ ...base, status: "cancelled", ...half }];
        return [{ ...base, status: "failed", ...half, error: clip(event.message, CONTENT_BYTES) }];
      }
    }
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
    case "compaction.text":
      return [];
    case "compaction.done":
      return [update({ status: "completed", content: [textContent(clip(event.summary, CONTENT_BYTES))] })];
    case "compaction.failed": {
      const text = event.cancelled ? "Cancelled." : event.message;
      return [update({ status: "failed", content: [textContent(clip(text, CONTENT_BYTES))] })];
    }
  }
}
