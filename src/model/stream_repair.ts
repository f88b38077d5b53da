import { CallTracker, type TrackedCall } from "./call_tracker.ts";
import { type CallDelta, type Chunk, errorIn, readChunk } from "./chunk.ts";
import { isWrapped, leakedCall } from "./leaks.ts";
import { type FinishReason, ModelError, type ModelUsage, type ToolSpec } from "./model.ts";
import { inBandError, publicText, type Speaker } from "./provider_error.ts";
import type { SseEvent } from "./sse.ts";

/** What the repair of one reply needs to know. */
export interface RepairOptions {
  readonly speaker: Speaker;
  readonly tools: readonly ToolSpec[];
  /** Ids of calls that the history already holds. */
  readonly takenIds: Iterable<string>;
  readonly freshId: () => string;
}

/** What servers call the same few ends of a reply. Anything else counts as an ordinary stop. */
const FINISHES: ReadonlyMap<string, FinishReason | "broken"> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content-filter"],
  ["error", "broken"],
  ["abort", "broken"],
  ["insufficient_system_resource", "broken"],
]);

/**
 * Rewrites the events of one reply, whatever dialect they come in, into the one that the adapters read, and
 * decides whether the reply ended well. Every method throws a {@linkcode ModelError} for a reply that did
 * not; nothing of it may be used as a call then.
 *
 * It never mends the JSON text of a call: it joins the pieces as they came.
 */
export class StreamRepair {
  /** How the reply ended; set by {@linkcode end}. */
  finish: FinishReason = "stop";
  usage: ModelUsage = {};
  /** True once an event with data has come. */
  begun = false;
  readonly #options: RepairOptions;
  readonly #tracker: CallTracker;
  readonly #announced = new Set<TrackedCall>();
  #text = "";
  #reasoned = false;
  #rawFinish: string | undefined;
  #done = false;

  constructor(options: RepairOptions) {
    this.#options = options;
    this.#tracker = new CallTracker({ taken: options.takenIds, fresh: options.freshId });
  }

  /** True once the server has said that the reply is complete; what is lost after that is no loss. */
  get complete(): boolean {
    return this.#done || this.#rawFinish !== undefined;
  }

  /** The repaired form of one event; `""` for one that says nothing. `atEnd`: the stream ended within it. */
  event({ event, data }: SseEvent, atEnd = false): string {
    if (this.#done || data.trim() === "") return "";
    if (data.trim() === "[DONE]") {
      this.#done = this.begun = true;
      return "";
    }
    const value = parsed(data);
    if (event === "error") throw this.#error(value ?? data);
    if (value === undefined) {
      if (atEnd) throw this.#broken("ended the stream in the middle of the reply");
      throw this.#broken(
        `sent a piece that is no JSON: ${publicText(data.slice(0, 2000), this.#options.speaker)}`,
      );
    }
    return this.#chunk(value);
  }

  /** A whole answer that came as plain JSON although a stream was asked for. */
  whole(text: string): string {
    const value = parsed(text);
    if (value === undefined) throw this.#broken("answered with something that is neither a stream nor JSON");
    const repaired = this.#chunk(value);
    this.#done = true;
    return repaired;
  }

  /** What has to be added at the end of the stream. Decides how the reply ended. */
  end(): string {
    const { speaker } = this.#options;
    const calls = this.#tracker.calls;
    const nothing = this.#text === "" && !this.#reasoned && calls.length === 0;
    if (this.#rawFinish === undefined && !this.#done && !(nothing && !this.begun)) {
      throw this.#broken("ended the stream in the middle of the reply");
    }
    const meant = FINISHES.get(this.#rawFinish ?? "stop") ?? "stop";
    if (meant === "broken") throw this.#broken(`gave up in the middle of the reply (${this.#rawFinish})`);
    this.finish = meant === "stop" && calls.length > 0 ? "tool-calls" : meant;
    if (nothing && meant === "stop") {
      throw new ModelError(
        "stream",
        `${speaker.label} sent an empty reply; the conversation may be longer than the model's context.`,
      );
    }
    if (this.finish === "tool-calls") this.#checkCalls(calls);
    if (this.finish === "stop") this.#checkText();
    return this.#closing(calls);
  }

  #chunk(value: unknown): string {
    const error = errorIn(value);
    if (error !== undefined) throw this.#error(error);
    this.begun = true;
    const chunk = readChunk(value);
    if (chunk.usage) this.usage = chunk.usage;
    this.#rawFinish = chunk.finish || this.#rawFinish;
    this.#text += chunk.text;
    this.#reasoned ||= Boolean(chunk.reasoning);
    return repairedChunk(chunk, chunk.calls.flatMap((delta) => this.#call(delta)));
  }

  /** A call is announced once its name is known; until then its pieces are held back. */
  #call(delta: CallDelta): object[] {
    const added = this.#tracker.add(delta);
    if (!added) {
      if (delta.args.trim() === "") return [];
      throw this.#broken("sent arguments of a tool call that had not begun");
    }
    const { call, args } = added;
    if (call.name === undefined) return [];
    if (this.#announced.has(call)) return args ? [{ index: call.index, function: { arguments: args } }] : [];
    this.#announced.add(call);
    return [{
      index: call.index,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.args },
    }];
  }

  #checkCalls(calls: readonly TrackedCall[]): void {
    for (const call of calls) {
      if (call.name === undefined) throw this.#broken("sent a tool call without a name");
      if (isWrapped(call.args, this.#options.tools.find((tool) => tool.name === call.name))) {
        throw new ModelError(
          "stream",
          `${this.#options.speaker.label} wrapped the arguments of ${call.name} in a second {"arguments": …}: ` +
            "the server's tool parser does not fit the model. Nothing was run.",
        );
      }
    }
  }

  #checkText(): void {
    const leak = leakedCall(this.#text);
    if (leak === undefined) return;
    throw new ModelError(
      "stream",
      `${this.#options.speaker.label} sent a tool call as text (${leak} …): the server's tool parser is missing ` +
        "or does not fit the model. Nothing was run.",
    );
  }

  /** A call that finished with no argument text at all has none: `{}`. A call that was cut off is left cut. */
  #closing(calls: readonly TrackedCall[]): string {
    const empty = this.finish !== "tool-calls" ? [] : calls.filter((call) => call.args.trim() === "");
    const deltas = empty.map(({ index }) => ({ index, function: { arguments: "{}" } }));
    return line({ delta: deltas.length > 0 ? { tool_calls: deltas } : {}, finish_reason: "stop" }) +
      "data: [DONE]\n\n";
  }

  #error(value: unknown): ModelError {
    return inBandError(this.#options.speaker, value, this.#shown());
  }

  #shown(): boolean {
    return this.#text !== "" || this.#reasoned || this.#announced.size > 0;
  }

  #broken(what: string): ModelError {
    return new ModelError("stream", `${this.#options.speaker.label} ${what}.`);
  }
}

function repairedChunk(chunk: Chunk, calls: readonly object[]): string {
  const delta = {
    ...(chunk.reasoning ? { reasoning_content: chunk.reasoning } : {}),
    ...(chunk.text ? { content: chunk.text } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return Object.keys(delta).length > 0 ? line({ delta }) : "";
}

function line(choice: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
