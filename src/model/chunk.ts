import type { ModelUsage } from "./model.ts";

/** A piece of a tool call as it came, before it is known which call it belongs to. */
export interface CallDelta {
  readonly index: number | undefined;
  /** Undefined for a missing and for an empty id. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** JSON text as it came; an object is written out; `""` for none and for null. */
  readonly args: string;
}

/** What one chunk of a chat completion says, with the servers' dialects taken out. */
export interface Chunk {
  readonly reasoning: string | undefined;
  readonly text: string;
  readonly calls: readonly CallDelta[];
  readonly finish: string | undefined;
  readonly usage: ModelUsage | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads a chunk of a stream, or a whole answer (`message` in the place of `delta`). Takes anything. */
export function readChunk(value: unknown): Chunk {
  const chunk = object(value);
  const choice = object(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
  const delta = object(choice.delta ?? choice.message);
  const usage = chunk.usage ?? choice.usage; // Moonshot puts it into the choice
  return {
    reasoning: reasoningOf(delta),
    text: textOf(delta.content) + (string(delta.refusal) ?? ""),
    calls: Array.isArray(delta.tool_calls) ? delta.tool_calls.map(readCall) : [],
    finish: string(choice.finish_reason),
    usage: usage === null || usage === undefined ? undefined : readUsage(object(usage)),
  };
}

/** The error object that a chunk carries in the place of an answer, if it does. */
export function errorIn(value: unknown): unknown {
  const chunk = object(value);
  if (chunk.error !== undefined && chunk.error !== null) return chunk;
  if (chunk.object === "error") return chunk; // vLLM
  const choices: unknown = chunk.choices;
  const inner = Array.isArray(choices) ? object(choices[0]).error : undefined; // OpenRouter
  return inner === undefined || inner === null ? undefined : { error: inner };
}

function readCall(value: unknown): CallDelta {
  const call = object(value);
  const fn = object(call.function);
  const args = fn.arguments;
  return {
    index: typeof call.index === "number" ? call.index : undefined,
    id: string(call.id)?.trim() || undefined,
    name: string(fn.name)?.trim() || undefined,
    args: args === null || args === undefined ? "" : typeof args === "string" ? args : JSON.stringify(args),
  };
}

function reasoningOf(delta: Json): string | undefined {
  const given = string(delta.reasoning_content) ?? string(delta.reasoning);
  const parts = Array.isArray(delta.content) ? delta.content.map(object) : [];
  const thinking = parts.filter((p) => p.type === "thinking").map((p) => textOf(p.thinking)).join("");
  return given ?? (thinking || undefined);
}

/** Text, or the text parts of a list (Mistral). */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(object).map((part) => part.type === "text" ? string(part.text) ?? "" : "").join("");
}

/** Both names of the cache figure are read: DeepSeek's and OpenAI's. */
function readUsage(usage: Json): ModelUsage {
  return {
    inputTokens: number(usage.prompt_tokens),
    outputTokens: number(usage.completion_tokens),
    reasoningTokens: number(object(usage.completion_tokens_details).reasoning_tokens),
    cachedTokens: number(usage.prompt_cache_hit_tokens) ??
      number(object(usage.prompt_tokens_details).cached_tokens),
  };
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {};
}

function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
