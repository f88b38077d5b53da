/** Ends something that gives no sign of life for a time. */
export class IdleLimit implements Disposable {
  readonly #stop = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paused = 0;

  constructor(ms: number) {
    this.#ms = ms;
    this.alive();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** A sign of life: the time begins anew. */
  alive(): void {
    clearTimeout(this.#timer);
    if (this.#paused === 0) this.#timer = setTimeout(() => this.#stop.abort(), this.#ms);
  }

  /** Time that `work` takes does not count, such as that of a person who is asked. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++;
    this.alive();
    try {
      return await work();
    } finally {
      this.#paused--;
      this.alive();
    }
  }

  [Symbol.dispose](): void {
    this.#paused = 1;
    clearTimeout(this.#timer);
  }
}
