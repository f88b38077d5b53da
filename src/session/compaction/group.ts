import type { ModelMessage } from "../../model/model.ts";

/**
 * Messages that stay or go together: a prompt; a reply with the results of its calls; the summary of what was
 * before. A history is cut between groups only, so that no call ever loses its result.
 */
export interface Group {
  readonly kind: "summary" | "prompt" | "reply";
  readonly messages: readonly ModelMessage[];
}

/** What an image counts, in characters: providers charge some 1,500 tokens for a large one. */
export const IMAGE_CHARS = 6000;

/** Characters that a group takes, near enough to compare groups by. */
export function charsOf(group: Group): number {
  return group.messages.reduce((sum, m) => sum + charsOfMessage(m), 0);
}

function charsOfMessage(message: ModelMessage): number {
  if (message.role !== "assistant") return charsWithImages(message);
  const calls = message.calls.reduce((sum, call) => sum + call.name.length + call.args.length, 0);
  return message.text.length + (message.reasoning?.length ?? 0) + calls;
}

/** Characters that a text takes with its images. */
export function charsWithImages(
  told: { readonly text: string; readonly images?: readonly unknown[] | undefined },
): number {
  return told.text.length + (told.images?.length ?? 0) * IMAGE_CHARS;
}

/** The group with the results of these calls replaced by a note. Pure. */
export function pruned(group: Group, callIds: ReadonlySet<string>): Group {
  const prune = (m: ModelMessage): ModelMessage => {
    if (m.role !== "tool" || !callIds.has(m.callId)) return m;
    const { images: _, ...rest } = m;
    return { ...rest, text: prunedNote(charsWithImages(m)) };
  };
  return { ...group, messages: group.messages.map(prune) };
}

/** What the model reads in place of a result. */
export function prunedNote(chars: number): string {
  return `[This result of ${chars} characters was left out to save room. Call the tool again if you need it.]`;
}
