import type { Block, ToolContent, Update } from "./wire.ts";

const CHUNKS = new Set(["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]);
const TURN_BOUND = new Set([
  ...CHUNKS,
  "tool_call",
  "tool_call_update",
  "plan",
  "compaction_update",
  "compaction_summary_chunk",
]);

/** True for a piece of a message's or thought's text. */
export function isChunk(update: Update): boolean {
  return CHUNKS.has(update.sessionUpdate);
}

/** True for what belongs to a turn (or its replay); usage, titles, commands and options do not. */
export function isTurnBound(update: Update): boolean {
  return TURN_BOUND.has(update.sessionUpdate);
}

/** True for `tool_call` and `tool_call_update`. */
export function isTool(update: Update): boolean {
  return update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update";
}

/** The text of a chunk, else the empty string. */
export function chunkText(update: Update): string {
  return isChunk(update) ? (update.content as Block).text ?? "" : "";
}

/** All text of one kind, in order: what a person reads as the agent's message (or its thought). */
export function textOf(updates: readonly Update[], kind = "agent_message_chunk"): string {
  return updates.filter((u) => u.sessionUpdate === kind).map(chunkText).join("");
}

/** A tool call's content blocks; empty where the update has none. */
export function toolContent(update: Update | undefined): readonly ToolContent[] {
  return Array.isArray(update?.content) ? update.content as readonly ToolContent[] : [];
}

/** The text of all text blocks in a tool call's content. */
export function toolText(update: Update | undefined): string {
  return toolContent(update).map((c) => c.content?.text ?? "").join("\n");
}

/** The piece of terminal output that an update carries under either key. */
export function outputOf(update: Update): string | undefined {
  return (update._meta?.terminal_output ?? update._meta?.terminal_output_delta)?.data;
}

/** Everything that one terminal was given to show. */
export function terminalText(updates: readonly Update[], callId: string): string {
  return updates.filter((u) => u.toolCallId === callId).map((u) => outputOf(u) ?? "").join("");
}

/** One tool call as a client holds it at the end: what announced it, what followed, and the last of them. */
export interface Card {
  readonly id: string;
  readonly call: Update;
  readonly updates: readonly Update[];
  readonly last: Update;
  readonly status: string | null | undefined;
}

/** The tool calls of a list of updates, in the order of their announcement. */
export function cardsOf(updates: readonly Update[]): Card[] {
  const calls = updates.filter((u) => u.sessionUpdate === "tool_call");
  // A call that was drafted for a terminal in another directory is announced once more.
  const first = calls.filter((call, i) => calls.findIndex((c) => c.toolCallId === call.toolCallId) === i);
  return first.map((call) => {
    const id = call.toolCallId!;
    const later = updates.filter((u) => u.sessionUpdate === "tool_call_update" && u.toolCallId === id);
    const last = later.at(-1) ?? call;
    return { id, call, updates: later, last, status: last.status };
  });
}

/** The one tool call of a list of updates; throws if there are none or several. */
export function onlyCard(updates: readonly Update[]): Card {
  const cards = cardsOf(updates);
  const [card] = cards;
  if (!card || cards.length > 1) throw new Error(`expected one tool call, got ${cards.length}`);
  return card;
}

/**
 * Folds what may differ between two tellings of the same turn: adjacent chunks of one message become one,
 * so do the output frames of one terminal, and a cumulative content that a later update of the same call
 * replaces is gone. Nothing else is dropped, and the order stays.
 */
export function joinChunks(updates: readonly Update[]): Update[] {
  const joined: Update[] = [];
  for (const update of updates.filter((u, i) => !isSuperseded(u, updates.slice(i + 1)))) {
    const before = joined.at(-1);
    const merged = before && (joinText(before, update) ?? joinOutput(before, update));
    if (merged) joined[joined.length - 1] = merged;
    else joined.push(update);
  }
  return joined;
}

function joinText(a: Update, b: Update): Update | undefined {
  if (!isChunk(a) || a.sessionUpdate !== b.sessionUpdate || a.messageId !== b.messageId) return undefined;
  const [left, right] = [a.content as Block, b.content as Block];
  if (left.type !== "text" || right.type !== "text") return undefined;
  return { ...a, content: { ...left, text: (left.text ?? "") + (right.text ?? "") } };
}

function joinOutput(a: Update, b: Update): Update | undefined {
  const key = a._meta?.terminal_output ? "terminal_output" : "terminal_output_delta";
  const [left, right] = [a._meta?.[key], b._meta?.[key]];
  if (!left || !right || left.terminal_id !== right.terminal_id || b._meta?.terminal_exit) return undefined;
  if (a.status !== b.status) return undefined;
  return { ...a, _meta: { ...a._meta, [key]: { ...left, data: left.data + right.data } } };
}

/** A running command's cumulative text, of which only the newest counts. */
function isSuperseded(update: Update, later: readonly Update[]): boolean {
  return update.sessionUpdate === "tool_call_update" && update.status === "in_progress" &&
    toolContent(update).length > 0 &&
    later.some((u) => u.toolCallId === update.toolCallId && toolContent(u).length > 0);
}
