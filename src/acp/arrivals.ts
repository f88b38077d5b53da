import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** A prompt that has arrived and is not settled. */
interface Arrival {
  readonly sessionId: string;
  readonly cancel: AbortController;
}

/**
 * Sees prompts and cancels in the order they arrive, and carries the cancels out. The SDK hands messages of one chunk to their handlers
 * in another order, so that a cancel written right behind its prompt would be lost, or would hit a prompt
 * that came after it: here a cancel hits exactly the prompts of its session that arrived before it.
 */
export class Arrivals {
  readonly #prompts = new Map<unknown, Arrival>();

  /** The stream with this observer on its incoming side. */
  observe(stream: Stream): Stream {
    const tap = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        if (!this.#takes(message)) controller.enqueue(message);
      },
    });
    return { writable: stream.writable, readable: stream.readable.pipeThrough(tap) };
  }

  /** The signal that is aborted by a cancel which came after the prompt of this request. */
  signalOf(requestId: unknown): AbortSignal {
    return this.#prompts.get(requestId)?.cancel.signal ?? new AbortController().signal;
  }

  /** To be called when the prompt of this request is settled. */
  settled(requestId: unknown): void {
    this.#prompts.delete(requestId);
  }

  /**
   * Notes a prompt, carries out a cancel. True for what is not to be passed on: cancels end here, also broken
   * ones, about which the SDK would complain on stderr.
   */
  #takes(message: AnyMessage): boolean {
    if (typeof message !== "object" || message === null || !("method" in message)) return false;
    const sessionId = (message.params as { sessionId?: unknown } | null | undefined)?.sessionId;
    if (message.method === "session/prompt" && "id" in message && typeof sessionId === "string") {
      this.#prompts.set(message.id, { sessionId, cancel: new AbortController() });
    }
    if (message.method !== "session/cancel" || "id" in message) return false;
    this.#cancel(sessionId);
    return true;
  }

  #cancel(sessionId: unknown): void {
    for (const arrival of this.#prompts.values()) {
      if (arrival.sessionId === sessionId) {
        arrival.cancel.abort(new DOMException("The user cancelled.", "AbortError"));
      }
    }
  }
}
