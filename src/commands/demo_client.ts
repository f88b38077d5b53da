import type { AnyMessage, SessionUpdate, Stream } from "@agentclientprotocol/sdk";

/** What the demo shows of each message of the agent. */
export interface DemoScreen {
  update(update: SessionUpdate): void;
  /** A question that the agent asked; the demo answers no. */
  question(title: string): void;
}

type Answer = { result?: unknown; error?: { message: string } };

/** The smallest ACP client that can follow a turn: raw messages over an in-memory stream. */
export class DemoClient {
  /** The agent's end of the connection. */
  readonly agentSide: Stream;
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  readonly #waiting = new Map<unknown, (answer: Answer) => void>();
  #nextId = 0;

  constructor(screen: DemoScreen) {
    const toAgent = new TransformStream<AnyMessage, AnyMessage>();
    const toClient = new TransformStream<AnyMessage, AnyMessage>();
    this.agentSide = { readable: toAgent.readable, writable: toClient.writable };
    this.#writer = toAgent.writable.getWriter();
    void this.#follow(toClient.readable, screen);
  }

  /** Sends a request and waits for its answer. @throws Error with the agent's message when it refuses. */
  async request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    await this.#writer.write({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await answered;
    if (error) throw new Error(error.message);
    return result;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {}); // the agent may have closed it first
  }

  async #follow(messages: ReadableStream<AnyMessage>, screen: DemoScreen): Promise<void> {
    for await (const message of messages) {
      if (!("method" in message)) {
        this.#waiting.get(message.id)?.(message as Answer);
      } else if (message.method === "session/update") {
        screen.update((message.params as { update: SessionUpdate }).update);
      } else if ("id" in message) {
        screen.question(
          (message.params as { toolCall?: { title?: string } }).toolCall?.title ?? message.method,
        );
        const result = { outcome: { outcome: "selected", optionId: "reject_once" } };
        await this.#writer.write({ jsonrpc: "2.0", id: message.id, result });
      }
    }
    for (const resolve of this.#waiting.values()) resolve({ error: { message: "The agent has gone." } });
  }
}
