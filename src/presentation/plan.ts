import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { PlanEntry } from "../tool/view.ts";
import { clip } from "./bounds.ts";

/** Bytes of a plan's texts. */
const PLAN_BYTES = 40 * 1024;
/** Steps that a client is told; more only a log of another version holds. */
const MAX_ENTRIES = 100;

/** A plan, whole each time; long texts are clipped so that they share the frame. Pure. */
export function presentPlan(entries: readonly PlanEntry[]): SessionUpdate {
  const each = Math.floor(PLAN_BYTES / Math.min(Math.max(entries.length, 1), MAX_ENTRIES));
  const shown = entries.slice(0, MAX_ENTRIES).map(({ content, status, priority }) => ({
    content: clip(content, each),
    status,
    priority,
  }));
  const left = entries.length - shown.length;
  const note = { content: `… ${left} more left out …`, status: "pending", priority: "low" } as const;
  return { sessionUpdate: "plan", entries: left > 0 ? [...shown, note] : shown };
}
