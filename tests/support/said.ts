import { contentText, isPictures } from "./model_script.ts";
import type { ModelCall } from "./model_server.ts";
import { textOf } from "./updates.ts";
import type { Fields, Update } from "./wire.ts";

/** Lines of a text that may follow each other without a change. */
const REPEATS = 3;

/** The user's messages of a request that none `before` it had, as they went over the wire; none with a script. */
export function newlySent(call: ModelCall, before: readonly ModelCall[]): unknown[] {
  const known = new Set(before.flatMap(userContents).map((content) => JSON.stringify(content)));
  const contents = userContents(call);
  return contents.filter((content, i) => i === contents.length - 1 || !known.has(JSON.stringify(content)))
    .filter(isUnscripted).map(folded);
}

function userContents({ messages }: ModelCall): unknown[] {
  return messages.filter((m) => m.role === "user" && !isPictures(m)).map(({ content }) => content);
}

/** The blocks of prompts without a script, as a load shows them again. */
export function shownAgain(updates: readonly Update[]): unknown[] {
  const said = updates.filter((u) => u.sessionUpdate === "user_message_chunk");
  const prompts = Map.groupBy(said, (u) => u.messageId).values();
  // A long text comes in pieces: whether it holds a script is seen in the whole.
  return [...prompts].filter((chunks) => isUnscripted(textOf(chunks, "user_message_chunk")))
    .flatMap((chunks) => chunks.map((u) => folded(u.content)));
}

/** A setting as the client shows it: `mode`, or an option by its id. */
export type Shown = Readonly<Record<string, unknown>>;

/** The values of a list of options. */
export function valuesOf(options: unknown): Shown {
  return Object.fromEntries(
    (options as Fields[] ?? []).map(({ id, currentValue }) => [String(id), currentValue]),
  );
}

/** The settings that updates have changed, each with its last value. */
export function changedSettings(before: Shown, updates: readonly Update[]): Shown {
  const after: Record<string, unknown> = {};
  for (const update of updates as unknown as Fields[]) {
    if (update.sessionUpdate === "current_mode_update") after.mode = update.currentModeId;
    if (update.sessionUpdate === "config_option_update") Object.assign(after, valuesOf(update.configOptions));
  }
  return Object.fromEntries(Object.entries(after).filter(([id, value]) => value !== before[id]));
}

/** The script of a scene is no user's: what is beside it is of interest only without it. */
function isUnscripted(content: unknown): boolean {
  return content !== undefined && !/MOCK \[/.test(contentText(content));
}

/** A text with its repeated lines told by their number, so that what stands between them is to be read. */
function folded(value: unknown): unknown {
  if (typeof value === "string") return foldedText(value);
  if (Array.isArray(value)) return value.map(folded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, folded(entry)]));
}

function foldedText(text: string): string {
  const runs: { line: string; times: number }[] = [];
  for (const line of text.split("\n")) {
    const last = runs.at(-1);
    if (last?.line === line) last.times++;
    else runs.push({ line, times: 1 });
  }
  return runs.flatMap(({ line, times }) =>
    times <= REPEATS ? Array<string>(times).fill(line) : [line, `[… the same ${times - 1} times more …]`]
  ).join("\n");
}
