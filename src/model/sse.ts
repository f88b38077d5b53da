/** One server-sent event, or the bare `error:` line that some servers send in its place. */
export interface SseEvent {
  /** The `event:` field; `"error"` also for a bare `error:` line. */
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Reads server-sent events out of bytes that may be cut anywhere, inside a character or a line end included.
 * Lines end with LF, CRLF or CR; comments are dropped.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #event: string | undefined;
  #data: string[] = [];

  /** The events that are complete with these bytes. */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }), false);
  }

  /** What the end of the stream completes: servers leave out the last blank line. */
  end(): SseEvent[] {
    return this.#read(this.#decoder.decode() + "\n\n", true);
  }

  #read(text: string, atEnd: boolean): SseEvent[] {
    const events: SseEvent[] = [];
    const buffer = this.#rest + text;
    let start = 0;
    const ends = /\r\n|\n|\r/g;
    for (let end = ends.exec(buffer); end; end = ends.exec(buffer)) {
      // A CR at the very end may be the first half of a CRLF.
      if (end[0] === "\r" && ends.lastIndex === buffer.length && !atEnd) break;
      this.#line(buffer.slice(start, end.index), events);
      start = ends.lastIndex;
    }
    this.#rest = buffer.slice(start);
    return events;
  }

  #line(line: string, events: SseEvent[]): void {
    if (line === "") return this.#dispatch(events);
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "error") events.push({ event: "error", data: value });
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data.length > 0) events.push({ event: this.#event, data: this.#data.join("\n") });
    this.#data = [];
    this.#event = undefined;
  }
}
