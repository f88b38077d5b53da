import type { PromptPart } from "./event.ts";

/**
 * What the user says while a turn runs, taken up at the turn's next model call. It is open from the turn's
 * begin until the turn decides to end, so that nothing is accepted that no call would read.
 */
export class Steering {
  #waiting: (readonly PromptPart[])[] = [];
  #open = true;

  /** False: the turn is ending and takes nothing more. */
  push(prompt: readonly PromptPart[]): boolean {
    if (this.#open) this.#waiting.push(prompt);
    return this.#open;
  }

  /** What was said since the last look. */
  take(): readonly (readonly PromptPart[])[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** Ends the taking; false while something waits, which the turn then has to take up first. */
  tryEnd(): boolean {
    this.#open = this.#waiting.length > 0;
    return !this.#open;
  }
}
