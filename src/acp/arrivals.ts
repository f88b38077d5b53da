import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** What a request means for others of its session that come after it. */
type Role = "prompt" | "opening" | "ending" | "other";

const ROLES: Readonly<Record<string, Role>> = {
  "session/prompt": "prompt",
  "session/load": "opening",
  "session/resume": "opening",
  "session/fork": "opening",
  "session/close": "ending",
  "session/delete": "ending",
};

/** A request of a session that has arrived and is not answered. */
interface Arrival {
  readonly sessionId: string;
  readonly role: Role;
  readonly cancel: AbortController;
  /** Resolves when the requests that this one has to wait for are answered. */
  readonly turn: Promise<unknown>;
  readonly answered: Promise<void>;
  readonly answer: () => void;
}

/**
 * Sees requests and cancels in the order they arrive, and answers as they leave. The SDK hands messages of one
 * chunk to their handlers in another order, so that a cancel written right behind its prompt would be lost, or
 * would hit a prompt that came after it. Here
 * - a cancel, a close and a delete hit exactly the prompts of their session that arrived before them;
 * - what opens or ends a session waits for what did so before it, an end also for the prompts before it;
 * - a prompt waits for the answers to those before it, so that no update of its turn comes before them;
 * - all else waits for the openings and ends before it.
 */
export class Arrivals {
  readonly #byId = new Map<unknown, Arrival>();
  /** In the order of arrival. */
  readonly #bySession = new Map<string, Set<Arrival>>();
  readonly #onCancel: (sessionId: string) => void;

  /** `onCancel` is told of every cancel: what is no prompt of the session is stopped by it too. */
  constructor(onCancel: (sessionId: string) => void = () => {}) {
    this.#onCancel = onCancel;
  }

  /** The stream with this observer on both of its sides. */
  observe(stream: Stream): Stream {
    const tap = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        if (!this.#takes(message)) controller.enqueue(message);
      },
    });
    return { writable: this.#observeAnswers(stream.writable), readable: stream.readable.pipeThrough(tap) };
  }

  /** The signal that is aborted by a cancel or an end of the session which came after this request. */
  signalOf(requestId: unknown): AbortSignal {
    return this.#byId.get(requestId)?.cancel.signal ?? new AbortController().signal;
  }

  /** Resolves when it is this request's turn, or when it is taken back by `cancelled`. Never rejects. */
  async turnOf(requestId: unknown, cancelled: AbortSignal): Promise<void> {
    const { promise: takenBack, resolve } = Promise.withResolvers<void>();
    const takeBack = () => resolve();
    if (cancelled.aborted) return;
    cancelled.addEventListener("abort", takeBack, { once: true });
    await Promise.race([this.#byId.get(requestId)?.turn, takenBack]);
    cancelled.removeEventListener("abort", takeBack);
  }

  /** The answer is noted as it is written: what waited for it is then written behind it. */
  #observeAnswers(writable: Stream["writable"]): Stream["writable"] {
    const writer = writable.getWriter();
    return new WritableStream<AnyMessage>({
      write: (message) => {
        if ("id" in message && !("method" in message)) this.#settle(message.id);
        return writer.write(message);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    });
  }

  /**
   * Notes a request, carries out a cancel. True for what is not to be passed on: cancels end here, also broken
   * ones, about which the SDK would complain on stderr.
   */
  #takes(message: AnyMessage): boolean {
    if (typeof message !== "object" || message === null || !("method" in message)) return false;
    const sessionId = (message.params as { sessionId?: unknown } | null | undefined)?.sessionId;
    if ("id" in message) {
      if (typeof sessionId === "string") this.#note(message.id, sessionId, ROLES[message.method] ?? "other");
      return false;
    }
    if (message.method !== "session/cancel") return false;
    if (typeof sessionId === "string") {
      this.#cancel(sessionId);
      this.#onCancel(sessionId);
    }
    return true;
  }

  #note(id: unknown, sessionId: string, role: Role): void {
    this.#settle(id); // a client that uses an id twice gets no answer to the first: nobody may wait for it
    const before = this.#of(sessionId).filter(({ role: earlier }) =>
      earlier === "opening" || earlier === "ending" ||
      (earlier === "prompt" && (role === "ending" || role === "prompt"))
    );
    if (role === "ending") this.#cancel(sessionId);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const turn = Promise.all(before.map((earlier) => earlier.answered));
    const arrival: Arrival = { sessionId, role, cancel: new AbortController(), turn, answered, answer };
    this.#byId.set(id, arrival);
    this.#bySession.set(sessionId, (this.#bySession.get(sessionId) ?? new Set()).add(arrival));
  }

  #settle(id: unknown): void {
    const arrival = this.#byId.get(id);
    if (!arrival) return;
    this.#byId.delete(id);
    const others = this.#bySession.get(arrival.sessionId);
    others?.delete(arrival);
    if (others?.size === 0) this.#bySession.delete(arrival.sessionId);
    arrival.answer();
  }

  #cancel(sessionId: string): void {
    for (const { role, cancel } of this.#of(sessionId)) {
      if (role === "prompt") cancel.abort(new DOMException("The user cancelled.", "AbortError"));
    }
  }

  #of(sessionId: string): Arrival[] {
    return [...this.#bySession.get(sessionId) ?? []];
  }
}
