/** Milliseconds between two frames of a stream that is watched: one screen refresh. */
export const FRAME_MS = 16;
/** Characters after which a frame goes out at once, so that no frame is near a client's line limit. */
const FRAME_SIZE = 8 * 1024;

/**
 * Gathers small pieces of text into frames: the first piece goes out at once, what follows within
 * `frameMs` waits and goes together. Pieces of different streams (`key`) never mix and keep
 * their order. Owns one timer, which {@linkcode flush} and {@linkcode stop} clear.
 */
export class DeltaBuffer<Key extends string> {
  readonly #emit: (key: Key, text: string) => void;
  readonly #now: () => number;
  readonly #frameMs: number;
  #key: Key | undefined;
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -Infinity;
  #fault: { readonly error: unknown } | undefined;

  /** `frameMs`: milliseconds between two frames; `now` gives milliseconds. */
  constructor(
    emit: (key: Key, text: string) => void,
    frameMs: number = FRAME_MS,
    now: () => number = () => performance.now(),
  ) {
    this.#emit = emit;
    this.#frameMs = frameMs;
    this.#now = now;
  }

  /** Adds a piece. */
  push(key: Key, text: string): void {
    if (text === "") return;
    this.#rethrow();
    if (key !== this.#key) this.flush();
    this.#key = key;
    this.#text += text;
    const wait = this.#last + this.#frameMs - this.#now();
    if (wait <= 0 || this.#text.length >= FRAME_SIZE) this.flush();
    else this.#timer ??= setTimeout(() => this.#flushFromTimer(), wait);
  }

  /** Sends what waits. Throws what the receiver throws, now or in a frame that the timer sent. */
  flush(): void {
    this.#rethrow();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text === "" || this.#key === undefined) return;
    const text = this.#text;
    this.#text = "";
    this.#last = this.#now();
    this.#emit(this.#key, text);
  }

  /** A timer's exception would end the process: it is kept for whoever pushes or flushes next. */
  #flushFromTimer(): void {
    try {
      this.flush();
    } catch (error) {
      this.#fault = { error };
    }
  }

  #rethrow(): void {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault) throw fault.error;
  }

  /** Drops what waits; for when its receiver has failed. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text = "";
    this.#fault = undefined;
  }
}
