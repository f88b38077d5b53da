import type { RequestPermissionRequest, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Action, AgentAction } from "../permission/decide.ts";
import { CAPTION_BYTES, clip, TITLE_BYTES } from "../presentation/bounds.ts";
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
  const { locations: _, rawInput, ...rest } = card ?? {}; // the client has them, and the frame has its bounds
  // Some clients show the title alone, and a command's whole only where the kind says that it is one.
  const asked = question.asked
    ? { title: clip(question.asked.title, TITLE_BYTES), kind: question.asked.kind }
    : { rawInput };
  return {
    sessionId,
    toolCall: { ...rest, ...asked, toolCallId: question.callId, content: [...shown, explanation] },
    options: [
      // A client that draws a command as a terminal may hide the text beside it: the reach is said here too.
      { optionId: ALLOW, name: `Allow once${reachOf(question.action)}`, kind: "allow_once" },
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

function reachOf(action: Action | AgentAction): string {
  return action.kind === "command" ? REACH[action.escalate ?? "confined"] : "";
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
      return `Run this command in ${code(action.cwd)}${reachOf(action)}?`;
    case "edit":
      return `Change ${code(action.path)}?`;
    case "read":
      return `Read ${code(action.path)}?`;
    case "fetch":
      return `Fetch this address from the host ${code(action.host)}?\n\n${code(action.url)}`;
    case "mcp":
      return `Call the tool ${code(action.tool)} of the MCP server ${code(action.server)}?`;
  }
}
