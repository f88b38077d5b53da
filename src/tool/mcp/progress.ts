import type { Progress } from "@modelcontextprotocol/client";
import { plainLineOf } from "./text.ts";

/** Milliseconds between two lines. */
const INTERVAL_MS = 300;
/** Lines of one call: each is kept in the log. */
const MAX_LINES = 200;
const MAX_MESSAGE = 200;

/** A call's progress as lines for its card: the latest, not too often, not too many. */
export class ProgressLines implements Disposable {
  readonly #emit: (line: string) => void;
  #next: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = MAX_LINES;

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  push(progress: Progress): void {
    this.#next = lineOf(progress);
    if (this.#timer === undefined) this.#flush();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#next === undefined || this.#left === 0) return;
    this.#emit(this.#next);
    this.#left--;
    this.#next = undefined;
    this.#timer = setTimeout(() => this.#flush(), INTERVAL_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#left = 0;
  }
}

function lineOf({ progress, total, message }: Progress): string {
  const share = total !== undefined && total > 0
    ? `${Math.round(100 * Math.min(1, Math.max(0, progress / total)))} %`
    : String(progress);
  const words = message === undefined ? "" : plainLineOf(message, MAX_MESSAGE);
  return words === "" ? share : `${share} – ${words}`;
}
