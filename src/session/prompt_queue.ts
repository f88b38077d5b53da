/**
 * The prompts of one session: each waits, runs, and settles once.
 *
 * Contract: they run one after the other in the order they came. A cancel takes back those that wait at once, and
 * aborts the signal of the one that runs, which then answers for its own end; those that come later are not touched.
 */
export class PromptQueue<End> {
  /** What a prompt comes to that was taken back while it waited. */
  readonly #takenBack: End;
  #state: "open" | "closed" = "open";
  /** Settles when the prompts so far have. */
  #tail: Promise<unknown> = Promise.resolve();
  /** Aborted by `cancel`, then replaced. */
  #cancel = new AbortController();
  #unsettled = 0;

  constructor(takenBack: End) {
    this.#takenBack = takenBack;
  }

  get closed(): boolean {
    return this.#state === "closed";
  }

  /** Open, and without a prompt that waits or runs? */
  get idle(): boolean {
    return this.#state === "open" && this.#unsettled === 0;
  }

  /** Runs `turn` behind those before it; `signal` takes back this one alone. Rejects as `turn` does. */
  run(turn: (signal: AbortSignal) => Promise<End>, signal: AbortSignal): Promise<End> {
    const cancelled = AbortSignal.any([signal, this.#cancel.signal]);
    if (cancelled.aborted || this.#state === "closed") return Promise.resolve(this.#takenBack);
    this.#unsettled++;
    const waiting = Promise.withResolvers<End>();
    const takeBack = () => waiting.resolve(this.#takenBack);
    cancelled.addEventListener("abort", takeBack, { once: true });
    const running = this.#tail.then(() => {
      cancelled.removeEventListener("abort", takeBack); // from here on the turn itself answers for its end
      return cancelled.aborted ? this.#takenBack : turn(cancelled);
    });
    this.#tail = running.catch(() => {}).finally(() => this.#unsettled--);
    running.then(waiting.resolve, waiting.reject);
    return waiting.promise;
  }

  /** Stops the running prompt and all that wait. Harmless when idle. */
  cancel(): void {
    this.#cancel.abort(new DOMException("The user cancelled.", "AbortError"));
    this.#cancel = new AbortController();
  }

  /** Cancels, and takes nothing more; resolves when what ran has ended. Never rejects. */
  async close(): Promise<void> {
    this.#state = "closed";
    this.cancel();
    await this.#tail;
  }
}
