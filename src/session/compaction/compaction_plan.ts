import { charsOf, charsWithImages, type Group, prunedNote } from "./group.ts";

/** Share of the window from which on room is made: the rest is for the next reply and the results of its calls. */
export const START_SHARE = 0.8;

/** Share of the window that pruning must come down to, or a summary follows: else it would soon be full again. */
export const ENOUGH_SHARE = 0.7;

/** Share of the conversation that is kept word for word behind a summary. */
export const KEEP_SHARE = 0.25;

/** Results up to this many characters are never pruned: it would save little and cost the model its memory. */
export const PRUNE_LONGER = 2000;

/** Characters of a token, where the provider does not count for us. */
export const CHARS_PER_TOKEN = 4;

/** Tokens of a conversation behind a system prompt, where nobody has counted them. Pure. */
export function estimateTokens(groups: readonly Group[], system: string): number {
  return Math.ceil(groups.reduce((sum, g) => sum + charsOf(g), system.length) / CHARS_PER_TOKEN);
}

/** Results to be left out. */
export interface Pruning {
  readonly callIds: readonly string[];
  /** Characters that it saves. */
  readonly saved: number;
}

/** The long results of all turns but the last; undefined where there are none. Pure. */
export function planPruning(groups: readonly Group[]): Pruning | undefined {
  const last = groups.findLastIndex((g) => g.kind === "prompt");
  const long = groups.slice(0, Math.max(0, last)).flatMap((g) => g.messages)
    .flatMap((m) => m.role === "tool" && charsWithImages(m) > PRUNE_LONGER ? [m] : []);
  if (long.length === 0) return undefined;
  return {
    callIds: long.map((m) => m.callId),
    saved: long.reduce((sum, m) => sum + charsWithImages(m) - prunedNote(charsWithImages(m)).length, 0),
  };
}

/**
 * The group that the kept tail begins with: that of the earliest turn from which on everything fits into
 * {@linkcode KEEP_SHARE}. Where not even the last turn does, the tail begins inside of it, between two replies.
 * Undefined where a summary would replace nothing that was done. Pure.
 */
export function tailStart(groups: readonly Group[]): number | undefined {
  const budget = groups.reduce((sum, g) => sum + charsOf(g), 0) * KEEP_SHARE;
  let [size, keep, turn] = [0, groups.length - 1, -1];
  for (let i = groups.length - 1; i > 0; i--) {
    const group = groups[i]!;
    size += charsOf(group);
    if (size > budget) break;
    keep = i;
    if (group.kind === "prompt") turn = i;
  }
  if (turn > 0) keep = turn;
  return groups.slice(0, keep).some((g) => g.kind === "reply") ? keep : undefined;
}

/** The history behind a summary: where its tail begins inside of a turn, that turn's prompt stays too. Pure. */
export function compacted(groups: readonly Group[], keep: number, summary: Group): Group[] {
  const tail = groups.slice(keep);
  if (tail.length === 0 || tail[0]?.kind === "prompt") return [summary, ...tail];
  const prompt = groups.slice(0, keep).findLast((g) => g.kind === "prompt");
  return [summary, ...(prompt ? [prompt] : []), ...tail];
}
