import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelPrice } from "../config/config.ts";
import { loadAdapter, prepareAdapter } from "./adapters.ts";
import { type HiddenImages, withoutRefused } from "./image_refusal.ts";
import { imagesSent } from "./images.ts";
import {
  type Model,
  ModelError,
  type ModelImage,
  type ModelPart,
  type ModelRef,
  type ModelRequest,
} from "./model.ts";
import { toCallOptions } from "./prompt.ts";
import { publicText, type Speaker } from "./provider_error.ts";
import { type Exchange, type Patience, repairFetch } from "./repair_fetch.ts";
import { withRetry } from "./retry.ts";
import { StreamRepair } from "./stream_repair.ts";
import { abortable, abortError, type Sleep, sleep } from "./wait.ts";
import { patchBody } from "./wire_request.ts";

/** A model behind a chat-completions endpoint. */
export interface ChatTarget {
  readonly ref: ModelRef;
  readonly window: number | undefined;
  readonly price?: ModelPrice | undefined;
  readonly sees: boolean;
  readonly kind: "deepseek" | "openai-compatible";
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  /** Values that must not be seen in any error. */
  readonly secrets: readonly string[];
}

/** Clock, chance and patience; all have sensible defaults, and tests bring their own. */
export interface ChatOptions {
  readonly sleep?: Sleep | undefined;
  readonly now?: (() => number) | undefined;
  readonly random?: (() => number) | undefined;
  /** Ids for calls that the server gave none. */
  readonly freshId?: (() => string) | undefined;
  readonly patience?: Patience | undefined;
}

/**
 * DeepSeek sends comments while a request waits, so that two minutes without a byte mean it is gone. A local
 * server says nothing at all while it loads a model and reads the prompt, which takes minutes on a machine
 * without a graphics card.
 */
const PATIENCE: Readonly<Record<ChatTarget["kind"], Patience>> = {
  "deepseek": { firstByteMs: 120_000, idleMs: 120_000 },
  "openai-compatible": { firstByteMs: 600_000, idleMs: 120_000 },
};

/** The {@linkcode Model} behind a chat-completions endpoint. */
export function chatModel(target: ChatTarget, options: ChatOptions = {}): Model {
  const clock = {
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  };
  const refused = new WeakSet<ModelImage>();
  return {
    ref: target.ref,
    window: target.window,
    price: target.price,
    thinks: target.kind === "deepseek",
    sees: target.sees,
    prepare: () => prepareAdapter(target.kind),
    stream: (request, signal) => {
      const images = () => imagesSent(request.messages, target.sees, refused);
      const once = (hidden: HiddenImages) => attempt(target, { request, hidden }, signal, options);
      return withRetry(() => withoutRefused(images(), refused, once), signal, clock);
    },
  };
}

/** What one request is made of. */
interface Asked {
  readonly request: ModelRequest;
  readonly hidden: HiddenImages;
}

/** One request and its reply. Leaving it in whatever way closes the connection. */
async function* attempt(
  target: ChatTarget,
  asked: Asked,
  signal: AbortSignal,
  options: ChatOptions,
): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortError();
  const left = new AbortController();
  const exchange = newExchange(target, asked.request, options, AbortSignal.any([signal, left.signal]));
  try {
    const stream = await abortable(openStream(target, asked, exchange), signal);
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal);
      if (done) throw new ModelError("stream", `${exchange.speaker.label}'s reply has no end.`);
      const part = toPart(value, exchange);
      if (part) yield part;
      if (part?.type === "finish") return;
    }
  } catch (error) {
    if (signal.aborted) throw abortError();
    throw exchange.fault ?? asModelError(error, exchange.speaker);
  } finally {
    left.abort();
  }
}

async function openStream(
  target: ChatTarget,
  { request, hidden }: Asked,
  exchange: Exchange,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const adapter = await loadAdapter({
    kind: target.kind,
    name: target.ref.provider,
    model: target.ref.model,
    apiKey: target.apiKey,
    baseURL: target.baseURL,
    fetch: repairFetch(exchange),
  });
  const { stream } = await adapter.doStream({
    ...toCallOptions(request, target.sees, hidden),
    abortSignal: exchange.signal,
  });
  return stream;
}

function newExchange(
  target: ChatTarget,
  request: ModelRequest,
  options: ChatOptions,
  signal: AbortSignal,
): Exchange {
  const speaker = speakerOf(target);
  const takenIds = request.messages.flatMap((m) => m.role === "assistant" ? m.calls.map((c) => c.id) : []);
  return {
    speaker,
    repair: new StreamRepair({
      speaker,
      tools: request.tools,
      takenIds,
      freshId: options.freshId ?? (() => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`),
    }),
    patience: options.patience ?? PATIENCE[target.kind],
    signal,
    patch: (body) => patchBody(body, request, target.kind),
    now: options.now ?? Date.now,
  };
}

function speakerOf({ ref, kind, apiKey, secrets }: ChatTarget): Speaker {
  const isDeepSeek = kind === "deepseek" && ref.provider === "deepseek";
  return {
    label: isDeepSeek ? "DeepSeek" : ref.provider,
    secrets: apiKey ? [apiKey, ...secrets] : secrets,
    keyHint: isDeepSeek
      ? "check DEEPSEEK_API_KEY"
      : ref.provider === "openai-compatible"
      ? "check OPENAI_API_KEY"
      : `check the key of provider ${ref.provider}`,
  };
}

/**
 * The adapter's part in our terms; how the reply ended is taken from the repair, which knows it better.
 * The adapter tells of complete calls and of the finish only after the repair has ended, so that a fault is
 * known by then.
 */
function toPart(part: LanguageModelV4StreamPart, { repair, fault }: Exchange): ModelPart | undefined {
  switch (part.type) {
    case "reasoning-delta":
      return { type: "reasoning", text: part.delta };
    case "text-delta":
      return { type: "text", text: part.delta };
    case "tool-input-start":
      return { type: "call-start", id: part.id, name: part.toolName };
    case "tool-input-delta":
      return { type: "call-args", id: part.id, text: part.delta };
    case "tool-call":
      if (fault) throw fault;
      // Of a reply that was cut at its length or filtered the last call may be half.
      if (repair.finish !== "tool-calls") return undefined;
      return { type: "call", call: { id: part.toolCallId, name: part.toolName, args: part.input } };
    case "finish":
      if (fault) throw fault;
      return { type: "finish", reason: repair.finish, usage: repair.usage };
    case "error":
      throw part.error;
    default:
      return undefined;
  }
}

/** For what the adapter itself throws; the repair's own errors do not come this way. */
function asModelError(error: unknown, speaker: Speaker): ModelError {
  if (error instanceof ModelError) return error;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return new ModelError("stream", `${speaker.label}'s reply could not be read: ${publicText(text, speaker)}`);
}
