import { isTurnBound, joinChunks } from "./updates.ts";
import type { Update } from "./wire.ts";

/**
 * Replaces what differs from run to run by names: folders by what they are, ids by their number in the order
 * of their first appearance. What is left of two runs of the same scene is the same.
 */
export class Transcript {
  readonly #ids = new Map<string, string>();

  /** @param folders absolute path → name, the longest first */
  constructor(readonly folders: readonly (readonly [path: string, name: string])[]) {}

  /** The updates of a turn as a client has shown them at its end. */
  updates(updates: readonly Update[]): unknown[] {
    return joinChunks(updates.filter(isTurnBound)).map((update) => this.normalize(update));
  }

  normalize(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#text(value, key);
    if (Array.isArray(value)) return value.map((entry) => this.normalize(entry));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, this.normalize(v, k)]));
  }

  #text(text: string, key: string): string {
    if (key === "messageId") return this.#name("message", text);
    if (["toolCallId", "terminalId", "terminal_id"].includes(key)) return this.#name("call", text);
    return shortened(this.folders.reduce((t, [path, name]) => t.replaceAll(path, name), text));
  }

  #name(kind: string, id: string): string {
    const key = `${kind} ${id}`;
    const count = [...this.#ids.keys()].filter((k) => k.startsWith(`${kind} `)).length;
    const name = this.#ids.get(key) ?? `${kind}-${count + 1}`;
    this.#ids.set(key, name);
    return name;
  }
}

/** Characters of a text that is kept whole, and of each end of one that is not. */
const [WHOLE, END] = [2000, 200];

/** A long text by its ends and its length, so that a transcript stays something to be read. */
function shortened(text: string): string {
  if (text.length <= WHOLE) return text;
  return `${text.slice(0, END)} [… ${text.length - 2 * END} characters …] ${text.slice(-END)}`;
}
