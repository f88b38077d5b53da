import { isTurnBound, joinChunks } from "./updates.ts";
import type { Update } from "./wire.ts";

/**
 * Replaces what differs from run to run by names: folders by what they are, ids by their number in the order
 * of their first appearance. What is left of two runs of the same scene is the same.
 */
export class Transcript {
  readonly #ids = new Map<string, string>();

  /** @param names what differs → name, such as absolute paths, the longest first */
  constructor(readonly names: readonly (readonly [text: string, name: string])[]) {}

  /** The updates of a turn as a client has shown them at its end. */
  updates(updates: readonly Update[]): unknown[] {
    return joinChunks(callByCall(updates.filter(isTurnBound))).map((update) => this.normalize(update));
  }

  normalize(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#text(value, key);
    if (Array.isArray(value)) return shortList(value.map((entry) => this.normalize(entry)));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, this.normalize(v, k)]));
  }

  #text(text: string, key: string): string {
    if (key === "messageId") return this.#name("message", text);
    if (["toolCallId", "terminalId", "terminal_id"].includes(key)) return this.#name("call", text);
    const named = this.names.reduce((t, [different, name]) => t.replaceAll(different, name), text);
    return shortened(withoutMeasures(named));
  }

  #name(kind: string, id: string): string {
    const key = `${kind} ${id}`;
    const count = [...this.#ids.keys()].filter((k) => k.startsWith(`${kind} `)).length;
    const name = this.#ids.get(key) ?? `${kind}-${count + 1}`;
    this.#ids.set(key, name);
    return name;
  }
}

/** Calls that run side by side end in any order: neighbouring updates are told call by call, each call's in order. */
function callByCall(updates: readonly Update[]): Update[] {
  const order = [...new Set(updates.flatMap((u) => u.toolCallId ?? []))];
  const place = (update: Update) => order.indexOf(update.toolCallId ?? "");
  const sorted: Update[] = [];
  for (let from = 0, to = 0; from < updates.length; from = to) {
    to = from + 1;
    if (isUpdate(updates[from])) { while (isUpdate(updates[to])) to++; }
    sorted.push(...updates.slice(from, to).toSorted((a, b) => place(a) - place(b)));
  }
  return sorted;
}

function isUpdate(update: Update | undefined): boolean {
  return update?.sessionUpdate === "tool_call_update";
}

/** How long something took, and how many tokens there are: paths are among what is counted. */
function withoutMeasures(text: string): string {
  return text.replace(/\b(after|runs,) \d+(?:\.\d+)? s\b/g, "$1 $SECONDS")
    .replace(/\babout [1-9][\d,]* tokens\b/g, "about $$N tokens");
}

/** Characters of a text that is kept whole, and of each end of one that is not. */
const [WHOLE, END] = [2000, 200];

/** What was left out to bound bytes: how much it is hangs on how long the paths beside it are. */
const CLIPPED = /… \d+ (characters|more changes) left out …/;

/** Entries of a list that is kept whole, and from the start of one that is not. */
const [MANY, FIRST] = [12, 3];

function shortList(list: readonly unknown[]): unknown[] {
  if (list.length <= MANY) return [...list];
  const isClipped = JSON.stringify(list.at(-1)).includes("… $N more changes");
  const left = isClipped ? "some" : `${list.length - FIRST - 1}`;
  return [...list.slice(0, FIRST), `[… ${left} more entries …]`, list.at(-1)];
}

/** A long text by its ends and its length, so that a transcript stays something to be read. */
function shortened(text: string): string {
  if (text.length <= WHOLE) return text.replace(CLIPPED, "… $$N $1 left out …");
  const left = CLIPPED.test(text) ? "clipped" : `${text.length - 2 * END} characters`;
  return `${text.slice(0, END)} [… ${left} …] ${text.slice(-END)}`;
}
