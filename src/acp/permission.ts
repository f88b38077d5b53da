import type { RequestPermissionRequest, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Action, AgentAction } from "../permission/decide.ts";
import { CAPTION_BYTES, clip } from "../presentation/bounds.ts";
import { blocksContent } from "../presentation/content.ts";
import type { Answer, Question } from "../session/ports.ts";
import { code } from "../tool/view.ts";

const ALLOW = "allow_once";
const ALWAYS = "allow_always";
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
    content: { type: "text", text: clip(explanationOf(question), CAPTION_BYTES) },
  };
  const shown = question.preview ? blocksContent(question.preview) : card?.content ?? [];
  const { locations: _, ...rest } = card ?? {}; // the client has them, and the frame has its bounds
  return {
    sessionId,
    toolCall: { ...rest, toolCallId: question.callId, content: [...shown, explanation] },
    options: [
      { optionId: ALLOW, name: "Allow once", kind: "allow_once" },
      // The name is the whole truth of what is stored: it is what the user agrees to.
      ...(question.always
        ? [{ optionId: ALWAYS, name: clip(question.always, CAPTION_BYTES), kind: "allow_always" as const }]
        : []),
      { optionId: REJECT, name: "Reject", kind: "reject_once" },
    ],
  };
}

/**
 * What the client answered. Its response is not validated by the SDK: only a clear yes is one, and an "always"
 * only where it was offered.
 */
export function readAnswer(response: unknown, always: boolean): Answer {
  const outcome = (response as { outcome?: { outcome?: unknown; optionId?: unknown } } | null)?.outcome;
  if (outcome?.outcome === "cancelled") return "cancelled";
  if (outcome?.outcome !== "selected") return "reject";
  if (outcome.optionId === ALLOW) return "allow";
  return always && outcome.optionId === ALWAYS ? "allow-always" : "reject";
}

/** What a command asks for beyond the preset, in words. */
const REACH = {
  "confined": "",
  "network": " with network access",
  "unconfined": " without confinement",
} as const;

function explanationOf({ action, reason, always }: Question): string {
  return [subject(action), reason, always ? `"Always" means: ${always}.` : ""].filter((s) => s !== "").join(
    "\n\n",
  );
}

function subject(action: Action | AgentAction): string {
  switch (action.kind) {
    case "command":
      return `Run this command in ${code(action.cwd)}${REACH[action.escalate ?? "confined"]}?`;
    case "edit":
      return `Change ${code(action.path)}?`;
    case "read":
      return `Read ${code(action.path)}?`;
    case "mcp":
      return `Call the tool ${code(action.tool)} of the MCP server ${code(action.server)}?`;
  }
}
