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
      if (exchange.signal.aborted) throw error;
      throw exchange.fault = error instanceof ModelError ? error : unreachable(error, exchange.speaker);
    }
  };
}

/**
 * Pulled by the adapter, so that a slow reader slows the server and does not fill the memory. A reply that
 * fails closes this stream and leaves its fault in the exchange: an errored stream would drop what came before
 * the fault and is still on its way.
 */
function repairedBody(response: Response, exchange: Exchange): ReadableStream<Uint8Array> {
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  const reply = new ReplyText(exchange);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let sent = false; !sent;) {
          const { done, value } = await reply.next(reader);
          for (const text of value ? reply.push(value) : reply.end()) {
            if (text === "") continue;
            controller.enqueue(encoder.encode(text));
            sent = true;
          }
          if (done) return controller.close();
        }
      } catch (error) {
        reader.cancel().catch(() => {}); // it is broken or unwanted; there is no one left to tell
        if (exchange.signal.aborted) return controller.error(error);
        exchange.fault = error instanceof ModelError ? error : lost(error, exchange);
        controller.close();
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

  /** The repaired text of these bytes, one piece an event, up to the one that is at fault. */
  *push(bytes: Uint8Array): Generator<string> {
    if (this.#kind === "unknown") this.#kind = kindOf(bytes, this.#exchange.speaker);
    if (this.#kind !== "json") {
      for (const event of this.#sse.push(bytes)) yield this.#exchange.repair.event(event);
      return;
    }
    this.#json += this.#decoder.decode(bytes, { stream: true });
    if (this.#json.length > MAX_JSON_CHARS) {
      throw new ModelError("stream", `${this.#exchange.speaker.label} sent more than a reply can hold.`);
    }
  }

  *end(): Generator<string> {
    const { repair } = this.#exchange;
    if (this.#kind === "json") yield repair.whole(this.#json + this.#decoder.decode());
    else for (const event of this.#sse.end()) yield repair.event(event, true);
    yield repair.end();
  }
}

/** What the lines of an event stream begin with. */
const FIELDS = ["data", "event", "id", "retry", "error", ":"];

/**
 * What a reply is, by its first bytes, since content types are not to be relied on: `{` is JSON, `<` a web
 * page, and what no line of an event stream begins with is neither ("Ollama is running").
 */
function kindOf(bytes: Uint8Array, speaker: Speaker): "unknown" | "events" | "json" {
  const text = new TextDecoder().decode(bytes).trimStart();
  if (text === "") return "unknown";
  if (text.startsWith("{")) return "json";
  if (text.startsWith("<")) throw notAModel(speaker);
  if (FIELDS.some((field) => text.startsWith(field) || field.startsWith(text))) return "events";
  throw new ModelError(
    "stream",
    `${speaker.label} did not answer with a reply but with: ${publicText(text, speaker)}`,
  );
}

/** `promise`, unless the server stays silent for `ms` or nobody wants the reply any more. */
async function inTime<T>(promise: Promise<T>, ms: number, exchange: Exchange): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(stalled(ms, exchange.speaker)), ms);
  try {
    return await abortable(Promise.race([promise, late]), exchange.signal);
  } finally {
    clearTimeout(timer);
  }
}

function stalled(ms: number, speaker: Speaker): ModelError {
  return new ModelError(
    "stream",
    `${speaker.label} sent nothing for ${ms / 1000} s; the reply was given up.`,
  );
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
  const text = publicText(reasonOf(error), speaker);
  const message = `${speaker.label} cannot be reached: ${text}`;
  // Without a cause the runtime refused the request itself, as for a URL that is none.
  if (!(error instanceof Error && error.cause)) return new ModelError("request", message);
  return LASTING.test(text) ? new ModelError("unavailable", message) : new PassingError(message);
}

/** What does not get better by trying again. */
const LASTING = /certificate|corrupt message|invalid HTTP version/i;

function lost(error: unknown, { repair, speaker }: Exchange): ModelError {
  const text = publicText(reasonOf(error), speaker);
  if (!repair.begun) {
    return new PassingError(`${speaker.label} closed the connection before a reply came: ${text}`);
  }
  return new ModelError(
    "stream",
    `The connection to ${speaker.label} was lost in the middle of the reply: ${text}`,
  );
}

/**
 * The innermost cause without the runtime's lead-in, which holds the whole URL: of "error sending request for
 * url (…): client error (Connect): tcp connect error: Connection refused" the part after "(Connect): ".
 */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause) inner = inner.cause;
  return messageOf(inner).replace(/^.*client error \(\w+\): /, "");
}
