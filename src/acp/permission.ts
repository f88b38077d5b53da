import type { RequestPermissionRequest, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Action } from "../permission/decide.ts";
import { CAPTION_BYTES, clip } from "../presentation/bounds.ts";
import { blocksContent } from "../presentation/content.ts";
import type { Answer, Question } from "../session/ports.ts";
import { code } from "../tool/view.ts";

const ALLOW = "allow_once";
const REJECT = "reject_once";

/**
 * The request for one question: the announced card again, whole, and below it what is asked for and why.
 * Some clients show the title alone, some the content, some neither the options' names: each says enough.
 */
export function permissionRequest(
  sessionId: string,
  question: Question,
  card: ToolCallUpdate | undefined,
): RequestPermissionRequest {
  const explanation: ToolCallContent = {
    type: "content",
    content: { type: "text", text: clip(`${subject(question.action)}\n\n${question.reason}`, CAPTION_BYTES) },
  };
  const shown = question.preview ? blocksContent(question.preview) : card?.content ?? [];
  const { locations: _, ...rest } = card ?? {}; // the client has them, and the frame has its bounds
  return {
    sessionId,
    toolCall: { ...rest, toolCallId: question.callId, content: [...shown, explanation] },
    options: [
      { optionId: ALLOW, name: "Allow once", kind: "allow_once" },
      { optionId: REJECT, name: "Reject", kind: "reject_once" },
    ],
  };
}

/** What the client answered. Its response is not validated by the SDK: only a clear yes is one. */
export function readAnswer(response: unknown): Answer {
  const outcome = (response as { outcome?: { outcome?: unknown; optionId?: unknown } } | null)?.outcome;
  if (outcome?.outcome === "cancelled") return "cancelled";
  return outcome?.outcome === "selected" && outcome.optionId === ALLOW ? "allow" : "reject";
}

function subject(action: Action): string {
  switch (action.kind) {
    case "command":
      return `Run this command in ${code(action.cwd)}?`;
    case "edit":
      return `Change ${code(action.path)}?`;
    case "read":
      return `Read ${code(action.path)}?`;
  }
}
