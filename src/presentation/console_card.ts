import { fence } from "../tool/view.ts";
import { clip, CONSOLE_BYTES } from "./bounds.ts";

/** Bytes that may be re-sent freely before the steps grow; a short output is followed line by line. */
const FREE_BYTES = 4 * 1024;
/** The next re-send waits until the output has grown by this factor, which bounds the sum of all re-sends. */
const GROWTH = 4;

/**
 * The output of a command for a client without terminal cards: one fenced block that holds all so far and is
 * sent again at growing steps, because an update replaces what it updates.
 */
export class ConsoleCard {
  #output = "";
  #sent = 0;
  #last = 0;

  /** Takes output; true when it is time to send the card again. */
  push(text: string): boolean {
    this.#output += text;
    const size = this.#output.length;
    if (this.#sent + size > FREE_BYTES && size < this.#last * GROWTH) return false;
    this.#sent += size;
    this.#last = size;
    return true;
  }

  /** The block as it stands; empty before the first output. */
  text(): string {
    return this.#output === "" ? "" : fence(clip(this.#output, CONSOLE_BYTES), "console");
  }
}
