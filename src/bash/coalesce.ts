import { concat } from "../sandbox/bytes.ts";

/** Milliseconds between two flushes of a command's output, but for full frames. */
const INTERVAL_MS = 25;
/** Bytes of output in one frame; as JSON it stays below 64 KiB even when every byte needs six. */
export const FRAME_BYTES = 8 * 1024;

/**
 * Turns bytes into frames of text: the first at once, then one for each interval, so that a slow command is
 * seen at once and a fast one does not flood. UTF-8 that is split over chunks is rejoined; what is no UTF-8
 * becomes U+FFFD.
 */
export class CoalescedText {
  readonly #emit: (text: string) => Promise<void>;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pending: Uint8Array[] = [];
  #size = 0;
  #lastFlush = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `emit` is called in order and may be slow: `push` waits for it once a frame is full. */
  constructor(emit: (text: string) => Promise<void>) {
    this.#emit = emit;
  }

  /** Takes `bytes` over. */
  async push(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#size += bytes.length;
    const wait = this.#lastFlush + INTERVAL_MS - performance.now();
    if (this.#size >= FRAME_BYTES || wait <= 0) return await this.#flush();
    this.#timer ??= setTimeout(() => void this.#flush(), wait);
  }

  /** Emits what is left, a broken end of UTF-8 included. */
  async finish(): Promise<void> {
    await this.#flush();
    const rest = this.#decoder.decode();
    if (rest !== "") await this.#emit(rest);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastFlush = performance.now();
    const pending = concat(this.#pending, this.#size);
    [this.#pending, this.#size] = [[], 0];
    let sent: Promise<void> | undefined;
    for (const frame of frames(pending)) {
      const text = this.#decoder.decode(frame, { stream: true });
      if (text !== "") sent = this.#emit(text);
    }
    await sent;
  }
}

function* frames(bytes: Uint8Array): Generator<Uint8Array> {
  for (let rest = bytes; rest.length > 0; rest = rest.subarray(FRAME_BYTES)) {
    yield rest.subarray(0, FRAME_BYTES);
  }
}
