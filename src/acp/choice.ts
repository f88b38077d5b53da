import type { PermissionOption, RequestPermissionRequest, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { oneLine } from "../errors.ts";
import { textContent } from "../presentation/content.ts";
import { plainLine } from "../tool/plain_line.ts";
import type { Choice, Chosen } from "../tool/user.ts";

/**
 * The kinds of the options, in order: one each, since some clients tell options apart by kind alone. The
 * plain no is left for "none of these".
 */
const KINDS = ["allow_once", "allow_always", "reject_always"] as const;
const NONE = "none";
/** Characters of an option's name. */
const MAX_NAME = 200;
/** How clients that hide the options' names draw each kind. */
const DRAWN = ["“allow”", "“always allow”", "“never allow”"] as const;

/** A choice as a permission request, for clients that know no forms; undefined for one with too many options. */
export function choiceRequest(
  sessionId: string,
  { callId, options }: Choice & { readonly callId: string },
  card: ToolCallUpdate | undefined,
): RequestPermissionRequest | undefined {
  if (options.length === 0 || options.length > KINDS.length) return undefined;
  const { locations: _, ...rest } = card ?? {};
  return {
    sessionId,
    toolCall: {
      ...rest,
      toolCallId: callId,
      // Some clients show the title alone, some the content, some hide the options' names: each says enough.
      title: [card?.title, numbered(options)].filter(Boolean).join(" — "),
      content: [...card?.content ?? [], textContent(legend(options.length))],
    },
    options: [
      ...options.map((name, i): PermissionOption => ({
        optionId: optionId(i),
        name: oneLine(name, MAX_NAME),
        kind: KINDS[i]!,
      })),
      { optionId: NONE, name: "None of these", kind: "reject_once" },
    ],
  };
}

/** What a client answered; only an option that was offered is a choice. */
export function readChosen({ options }: Choice, response: unknown): Chosen {
  const outcome = (response as { outcome?: { outcome?: unknown; optionId?: unknown } } | null)?.outcome;
  if (outcome?.outcome === "cancelled") return { action: "cancel" };
  if (outcome?.outcome !== "selected") return { action: "failed" };
  if (outcome.optionId === NONE) return { action: "decline" };
  const index = options.findIndex((_, i) => optionId(i) === outcome.optionId);
  return index < 0 ? { action: "failed" } : { action: "accept", index };
}

/** The options as one line of Markdown. */
function numbered(options: readonly string[]): string {
  return options.map((name, i) => `${i + 1}: ${plainLine(name, MAX_NAME)}`).join(", ");
}

function optionId(index: number): string {
  return `option_${index + 1}`;
}

function legend(count: number): string {
  const buttons = DRAWN.slice(0, count).map((drawn, i) => `${drawn} is ${i + 1}`);
  return `If the buttons show no names: ${buttons.join(", ")}, “reject” is none of these.`;
}
