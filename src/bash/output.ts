import { concat } from "../sandbox/bytes.ts";
import { CoalescedText } from "./coalesce.ts";
import { LIVE_LIMIT, TAIL_LIMIT } from "./executor_handle.ts";
import { Spill } from "./spill.ts";

/** What became of a command's output; see `CommandResult`. */
export interface OutputEnd {
  readonly totalBytes: number;
  readonly omittedBytes: number;
  readonly tail: string;
  readonly spillPath: string | undefined;
}

/**
 * A command's output on its way: streamed up to a limit, its end kept, all of it spilled to a file once it
 * is long. Memory is bounded whatever the command prints and however slowly `emit` goes.
 */
export class Output {
  readonly #live: CoalescedText;
  readonly #spill: Spill;
  readonly #liveLimit: number;
  #total = 0;
  #streamed = 0;
  #tail: Uint8Array = new Uint8Array();
  #liveEnded = false;

  constructor(emit: (text: string) => Promise<void>, spillPath: string, liveLimit: number = LIVE_LIMIT) {
    this.#liveLimit = liveLimit;
    this.#live = new CoalescedText(emit);
    this.#spill = new Spill(spillPath);
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** Takes `bytes` over. Waits where it would otherwise have to keep more. */
  async push(bytes: Uint8Array): Promise<void> {
    this.#total += bytes.length;
    const live = this.#liveEnded ? 0 : this.#liveShare(bytes);
    this.#streamed += live;
    if (live > 0) await this.#live.push(bytes.subarray(0, live));
    if (live < bytes.length) this.#keepEnd(bytes.subarray(live));
    await this.#spill.push(bytes);
  }

  /** The last frames, and the account. What was not streamed but is no more than a tail is streamed after all. */
  async finish(): Promise<OutputEnd> {
    const rest = this.#total - this.#streamed;
    const whole = rest === this.#tail.length;
    if (whole) await this.#live.push(this.#tail);
    await this.#live.finish();
    const spillPath = this.#spill.close();
    if (whole) return { totalBytes: this.#total, omittedBytes: 0, tail: "", spillPath };
    const tail = this.#tail.subarray(leadingContinuation(this.#tail));
    return {
      totalBytes: this.#total,
      omittedBytes: rest - tail.length,
      tail: new TextDecoder("utf-8", { ignoreBOM: true }).decode(tail),
      spillPath,
    };
  }

  /** How many of the bytes are streamed; the last character before the limit is not cut in two. */
  #liveShare(bytes: Uint8Array): number {
    const room = this.#liveLimit - this.#streamed;
    if (bytes.length <= room) return bytes.length;
    this.#liveEnded = true;
    let end = room;
    while (end > 0 && room - end < 3 && isContinuation(bytes[end]!)) end--;
    return end;
  }

  #keepEnd(bytes: Uint8Array): void {
    const end = bytes.subarray(Math.max(0, bytes.length - TAIL_LIMIT));
    const kept = this.#tail.subarray(Math.max(0, this.#tail.length + end.length - TAIL_LIMIT));
    this.#tail = concat([kept, end], kept.length + end.length);
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Bytes at the start that belong to a character whose start is gone. */
function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && isContinuation(bytes[count]!)) count++;
  return count;
}
