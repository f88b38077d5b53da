import { messageOf } from "../errors.ts";
import { ModelError } from "./model.ts";
import { httpError, PassingError, publicText, type Speaker } from "./provider_error.ts";
import { retryAfterMs } from "./retry.ts";
import { SseReader } from "./sse.ts";
import type { StreamRepair } from "./stream_repair.ts";
import { abortable } from "./wait.ts";

/** How long a server may be silent, in milliseconds; a comment counts as a sign of life. */
export interface Patience {
  /** Until the first byte: it may be loading the model or reading a long prompt. */
  readonly firstByteMs: number;
  /** Between two bytes after that. */
  readonly idleMs: number;
}

/** What one request brings along. */
export interface Exchange {
  readonly speaker: Speaker;
  readonly repair: StreamRepair;
  readonly patience: Patience;
  /** Aborted when nobody wants the reply any more: closes the connection. */
  readonly signal: AbortSignal;
  readonly patch: (body: string) => string;
  readonly now: () => number;
  /** Why the reply failed. The adapters wrap what is thrown at them, so it is also kept here. */
  fault?: ModelError;
}

/** Most bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Most characters of a plain JSON answer that are taken in. */
const MAX_JSON_CHARS = 32 * 1024 * 1024;

/** The `fetch` of the adapters: sends the patched request and gives back a repaired stream of events. */
export function repairFetch(exchange: Exchange): typeof fetch {
  return async (input, init) => {
    try {
      const body = exchange.patch(String(init?.body));
      const sent = fetch(input, { ...init, body, signal: exchange.signal });
      const response = await inTime(sent, exchange.patience.firstByteMs, exchange);
      if (!response.ok) throw await refusal(response, exchange);
      if (response.headers.get("content-type")?.includes("text/html")) {
        await response.body?.cancel();
        throw notAModel(exchange.speaker);
      }
      return new Response(repairedBody(response, exchange), {
        headers: { "content-type": "text/event-stream" },
      });
    } catch (error) {
      if (exchange.signal.aborted && !exchange.fault) throw error;
      throw exchange.fault ??= error instanceof ModelError ? error : unreachable(error, exchange.speaker);
    }
  };
}

/** Pulled by the adapter, so that a slow reader slows the server and not the memory. */
function repairedBody(response: Response, exchange: Exchange): ReadableStream<Uint8Array> {
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  const reply = new ReplyText(exchange);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let text = ""; text === "";) {
          const { done, value } = await reply.next(reader);
          text = value ? reply.push(value) : reply.end();
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (done) return controller.close();
        }
      } catch (error) {
        if (!exchange.signal.aborted || exchange.fault) {
          exchange.fault ??= error instanceof ModelError ? error : lost(error, exchange);
        }
        reader.cancel().catch(() => {}); // it is broken or unwanted; there is no one left to tell
        controller.error(exchange.fault ?? error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** The bytes of a reply on their way into the repair; finds out whether they are events or plain JSON. */
class ReplyText {
  readonly #exchange: Exchange;
  readonly #sse = new SseReader();
  readonly #decoder = new TextDecoder();
  #kind: "unknown" | "events" | "json" = "unknown";
  #json = "";
  #waitMs: number;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#waitMs = exchange.patience.firstByteMs;
  }

  /** The next bytes, or the end. A connection that is lost after the reply was complete is an end, too. */
  async next(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
    try {
      const result = await inTime(reader.read(), this.#waitMs, this.#exchange);
      this.#waitMs = this.#exchange.patience.idleMs;
      return result;
    } catch (error) {
      const { repair, signal } = this.#exchange;
      if (repair.complete && !signal.aborted) return { done: true };
      throw error;
    }
  }

  push(bytes: Uint8Array): string {
    if (this.#kind === "unknown") this.#kind = kindOf(bytes, this.#exchange.speaker);
    if (this.#kind !== "json") {
      return this.#sse.push(bytes).map((e) => this.#exchange.repair.event(e)).join("");
    }
    this.#json += this.#decoder.decode(bytes, { stream: true });
    if (this.#json.length > MAX_JSON_CHARS) {
      throw new ModelError("stream", `${this.#exchange.speaker.label} sent more than a reply can hold.`);
    }
    return "";
  }

  end(): string {
    const { repair } = this.#exchange;
    const rest = this.#kind === "json"
      ? repair.whole(this.#json + this.#decoder.decode())
      : this.#sse.end().map((event) => repair.event(event)).join("");
    return rest + repair.end();
  }
}

/** The content type is not to be relied on, the first character is: `{` is JSON, `<` a web page. */
function kindOf(bytes: Uint8Array, speaker: Speaker): "unknown" | "events" | "json" {
  const first = new TextDecoder().decode(bytes).trimStart()[0];
  if (first === "<") throw notAModel(speaker);
  return first === undefined ? "unknown" : first === "{" ? "json" : "events";
}

/** `promise`, unless the server stays silent for `ms`; then the connection is closed. */
async function inTime<T>(promise: Promise<T>, ms: number, exchange: Exchange): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await abortable(promise, AbortSignal.any([late.signal, exchange.signal]));
  } catch (error) {
    if (!late.signal.aborted || exchange.signal.aborted) throw error;
    const seconds = Math.round(ms / 1000) || ms / 1000;
    throw new ModelError(
      "stream",
      `${exchange.speaker.label} sent nothing for ${seconds} s; the reply was given up.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function refusal(response: Response, exchange: Exchange): Promise<ModelError> {
  const wait = retryAfterMs(response.headers, exchange.now());
  return httpError(exchange.speaker, response.status, await errorBody(response, exchange), wait);
}

/** The first 64 KiB of an error's body; as much of it as comes. */
async function errorBody(response: Response, exchange: Exchange): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (reader && text.length < MAX_ERROR_BYTES) {
      const { done, value } = await inTime(reader.read(), 5_000, exchange);
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch { /* the status alone has to do */ }
  await reader?.cancel().catch(() => {});
  return text;
}

function notAModel(speaker: Speaker): ModelError {
  return new ModelError(
    "stream",
    `${speaker.label} answered with a web page, not with a reply: check its base URL.`,
  );
}

function unreachable(error: unknown, speaker: Speaker): ModelError {
  const text = publicText(causeOf(error), speaker);
  const message = `${speaker.label} cannot be reached: ${text}`;
  // A certificate does not get better by trying again.
  return /certificate/i.test(text) ? new ModelError("unavailable", message) : new PassingError(message);
}

function lost(error: unknown, { repair, speaker }: Exchange): ModelError {
  const text = publicText(causeOf(error), speaker);
  if (!repair.begun) {
    return new PassingError(`${speaker.label} closed the connection before a reply came: ${text}`);
  }
  return new ModelError(
    "stream",
    `The connection to ${speaker.label} was lost in the middle of the reply: ${text}`,
  );
}

/** The end of the runtime's chain of reasons: "client error (Connect): …: Connection refused (os error 111)". */
function causeOf(error: unknown): string {
  const text = messageOf(error).replace(/^error sending request[^:]*(for url \(.*?\))?: /, "");
  return text.replace(/^(client error \(\w+\): )/, "");
}
