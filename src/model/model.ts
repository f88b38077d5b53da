import type { ModelPrice } from "../config/config.ts";
import { AgentError } from "../errors.ts";

/** `provider/model`, taken apart. Any model id passes, listed or not. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** A call that the model made. `args` is the JSON text as it came: never repaired. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** A picture for a model that can see. */
export interface ModelImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A picture in a user's message. */
export interface PlacedImage extends ModelImage {
  /** Where in the message's text it stands: behind this many characters (code units). */
  readonly at: number;
}

/** One message of the history that the model is sent. */
export type ModelMessage =
  | {
    readonly role: "user";
    readonly text: string;
    /** In the order of their places. A model that cannot see is told that there were some. */
    readonly images?: readonly PlacedImage[];
  }
  | {
    readonly role: "assistant";
    readonly text: string;
    /** Undefined: the model gave none. The empty string counts as given (DeepSeek wants it back). */
    readonly reasoning?: string | undefined;
    readonly calls: readonly ModelCall[];
  }
  | {
    readonly role: "tool";
    readonly callId: string;
    readonly name: string;
    readonly text: string;
    readonly isError: boolean;
    /** A model that cannot see is told that there were some. */
    readonly images?: readonly ModelImage[];
  };

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** How long a model that thinks is to think. */
export type ThoughtLevel = "off" | "low" | "high" | "max";

/** The levels, from short to long. */
export const THOUGHT_LEVELS: readonly ThoughtLevel[] = ["off", "low", "high", "max"];

/** One request. The same history gives the same bytes, so that the provider's prefix cache hits. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** Undefined: as the provider sees fit. Of no effect on models whose `thinks` is false. */
  readonly thought?: ThoughtLevel | undefined;
}

/** Tokens of one reply; undefined where the provider did not say. */
export interface ModelUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** Input tokens that were read from the provider's cache (part of `inputTokens`). */
  readonly cachedTokens?: number | undefined;
}

/** Why the model stopped. */
export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter";

/** What a reply is made of, in the order it came. */
export type ModelPart =
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  /** A call has begun; its arguments are still being written. */
  | { readonly type: "call-start"; readonly id: string; readonly name: string }
  /** More of a begun call's arguments. To be shown, not run: a reply may break off, and servers may say things twice. */
  | { readonly type: "call-args"; readonly id: string; readonly text: string }
  /** A call is complete. `args` may still be no valid JSON: the caller checks before it runs anything. */
  | { readonly type: "call"; readonly call: ModelCall }
  /** The request failed and is tried again in `waitMs`; nothing of a reply had come. */
  | { readonly type: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** The provider takes the request without its images alone; the reply to that follows. */
  | { readonly type: "images-refused"; readonly reason: string }
  /** The last part of every reply that ended well. */
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: ModelUsage };

/**
 * A model that can be asked.
 *
 * Contract of `stream`: never throws before the first `next()`; yields parts in order and ends after exactly
 * one `finish`, or throws a {@linkcode ModelError}, or, once `signal` is aborted, throws an `AbortError` at
 * once. It owns its connection: leaving the loop early closes it. What was yielded before an error stays
 * true, but calls of a reply that did not finish must not be run, nor those of a reply that finished with
 * `length`.
 */
export interface Model {
  readonly ref: ModelRef;
  /** Tokens of context, where it is known. */
  readonly window: number | undefined;
  /** Undefined where nobody has told. */
  readonly price?: ModelPrice | undefined;
  /** Does it take a {@linkcode ThoughtLevel}? */
  readonly thinks: boolean;
  /** Does it take images? */
  readonly sees: boolean;
  /** Loads what the first `stream` would have to load, so that it need not wait. Never rejects. */
  prepare?(): Promise<void>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** What kind of failure a {@linkcode ModelError} is. */
export type ModelFault =
  /** 401/403: the key is missing or wrong. */
  | "auth"
  /** 402: no balance. */
  | "payment"
  /** 400, 404, 413, 422: the request was refused; trying again does not help. */
  | "request"
  /** 400 because the history is longer than the model's window. */
  | "window"
  /** 429, 5xx, no connection: tried again, and the time for that is used up. */
  | "unavailable"
  /** The stream broke off, stalled or was no stream after the reply had begun. */
  | "stream";

/** A request that failed. The message is one line, holds the provider's own text and never a key. */
export class ModelError extends AgentError {
  readonly fault: ModelFault;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(
    fault: ModelFault,
    message: string,
    options: ErrorOptions & { status?: number | undefined } = {},
  ) {
    super(fault === "auth" ? "auth-required" : "model", message, options);
    this.fault = fault;
    this.status = options.status;
  }
}
