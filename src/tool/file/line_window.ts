/** Characters of a line that are shown. */
const MAX_LINE = 2000;
/** Characters of all lines that are shown. */
const MAX_TEXT = 64 * 1024;
/** Characters that a line's number takes in a result. */
const NUMBER = 8;

/** Picks some lines out of a text that comes in pieces, holding no more than what is shown. */
export class LineWindow {
  /** The picked lines, without their ends; long ones are cut with a mark. */
  readonly lines: string[] = [];
  readonly #first: number;
  readonly #limit: number;
  /** The line that has no end yet, as far as it is shown. */
  #open = "";
  #openLength = 0;
  #total = 0;
  #size = 0;
  #full = false;

  /** From line `first` on, 1-based, at most `limit` lines. */
  constructor(first: number, limit: number) {
    this.#first = first;
    this.#limit = limit;
  }

  /** True once no further line is picked. */
  get full(): boolean {
    return this.#full;
  }

  /** Lines that were seen. */
  get total(): number {
    return this.#total;
  }

  /** Takes the next piece. */
  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.#extend(text, at, end);
      this.#close();
      at = end + 1;
    }
    this.#extend(text, at, text.length);
  }

  /** The text is over: what is left is a line without an end. */
  end(): void {
    if (this.#openLength > 0) this.#close();
  }

  #extend(text: string, from: number, to: number): void {
    if (this.#wanted) this.#open += text.slice(from, Math.min(to, from + MAX_LINE + 1 - this.#open.length));
    this.#openLength += to - from;
  }

  get #wanted(): boolean {
    return !this.#full && this.#total + 1 >= this.#first;
  }

  #close(): void {
    if (this.#wanted) this.#pick();
    this.#total++;
    [this.#open, this.#openLength] = ["", 0];
  }

  #pick(): void {
    const line = this.#openLength <= MAX_LINE + 1 && this.#open.endsWith("\r")
      ? this.#open.slice(0, -1)
      : this.#open;
    const shown = line.length <= MAX_LINE ? line : cut(line, this.#openLength);
    this.#size += shown.length + NUMBER;
    if (this.#size > MAX_TEXT && this.lines.length > 0) {
      this.#full = true;
      return;
    }
    this.lines.push(shown);
    this.#full = this.lines.length >= this.#limit;
  }
}

function cut(line: string, length: number): string {
  const last = line.charCodeAt(MAX_LINE - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? MAX_LINE - 1 : MAX_LINE; // never half of a pair
  return `${line.slice(0, end)}… [${length - end} more characters in this line]`;
}

/** A line as the model is shown it. */
export function numbered(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${line}`;
}
