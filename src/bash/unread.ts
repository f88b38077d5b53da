/** Characters from the start and the end of what was not read yet that are kept; the middle is dropped. */
export const UNREAD_HEAD: number = 48 * 1024;
export const UNREAD_TAIL: number = 16 * 1024;

/** Output that was not read before. */
export interface Unread {
  readonly head: string;
  /** Bytes between `head` and `tail` that are not here. */
  readonly omittedBytes: number;
  /** Empty when nothing was left out. */
  readonly tail: string;
}

/** The output of a job between two reads, in bounded memory however long nobody reads it. */
export class UnreadOutput {
  #head = "";
  #tail = "";
  #omitted = 0;

  push(text: string): void {
    if (this.#omitted === 0 && this.#tail === "") {
      const room = UNREAD_HEAD - this.#head.length;
      const cut = text.length <= room ? text.length : wholeBefore(text, room);
      this.#head += text.slice(0, cut);
      text = text.slice(cut);
    }
    this.#tail += text;
    // Only now and then: cutting at each piece would copy the tail for every line.
    if (this.#tail.length > 2 * UNREAD_TAIL) this.#trim();
  }

  /** Counts bytes that are nowhere but in the spill file. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.#omitted += bytes + byteLength(this.#tail);
    this.#tail = "";
  }

  /** Gives what is there; the next call gives only what came after this one. */
  take(): Unread {
    if (this.#tail.length > UNREAD_TAIL) this.#trim();
    const taken: Unread = this.#omitted === 0
      ? { head: this.#head + this.#tail, omittedBytes: 0, tail: "" }
      : { head: this.#head, omittedBytes: this.#omitted, tail: this.#tail };
    [this.#head, this.#tail, this.#omitted] = ["", "", 0];
    return taken;
  }

  #trim(): void {
    const from = wholeBefore(this.#tail, this.#tail.length - UNREAD_TAIL);
    this.#omitted += byteLength(this.#tail.slice(0, from));
    this.#tail = this.#tail.slice(from);
  }
}

/** The place at or just before `at` that cuts no surrogate pair in two. */
function wholeBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at > 0 && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
