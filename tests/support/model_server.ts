import { contentText, type Cue, cueOf, type Step } from "./model_script.ts";
import { replyStream } from "./model_stream.ts";
import type { Fields } from "./wire.ts";

/** One request that the model server got. */
export interface ModelCall {
  readonly body: Fields;
  /** The text of the body as it was sent. */
  readonly text: string;
  readonly messages: readonly Fields[];
  readonly authorization: string | null;
  /** True once the client gave up before the answer was complete. */
  closedByClient: boolean;
}

/** The ids of all calls in a request's history, and of all results: providers refuse it if they differ. */
export function callsAndResults({ messages }: ModelCall): [calls: unknown[], results: unknown[]] {
  const calls = messages.flatMap((m) => (m.tool_calls ?? []) as Fields[]).map((call) => call.id);
  return [calls, messages.filter((m) => m.role === "tool").map((m) => m.tool_call_id)];
}

/** How the server sends. */
export interface ModelServerOptions {
  /** Ends a piece of the stream inside of every character that has several bytes. */
  readonly splitCharacters?: boolean;
}

/**
 * A chat-completions server as DeepSeek and OpenAI have it, in this process, on a free port. What it answers
 * stands in the prompt (see `script()`), so that every test tells its own story in one place.
 */
export class ModelServer implements AsyncDisposable {
  /** The requests in the order they came. */
  readonly calls: ModelCall[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #failures = new Map<string, number>();
  readonly #splitCharacters: boolean;

  constructor(options: ModelServerOptions = {}) {
    this.#splitCharacters = options.splitCharacters ?? false;
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      signal: this.#stop.signal,
      onListen: () => {},
    }, (request) => this.#answer(request));
  }

  /** What a client is to be given as its base URL. */
  get baseURL(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  get lastCall(): ModelCall {
    const call = this.calls.at(-1);
    if (!call) throw new Error("the model was never asked");
    return call;
  }

  /** What the model was told in its last request of the tool call before it. */
  get told(): string {
    return contentText(this.lastCall.messages.findLast((m) => m.role === "tool")?.content);
  }

  /** Lets go on every reply that waits, or will wait, at `["gate", name]`. */
  open(name: string): void {
    this.#gate(name).resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  async #answer(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json({ object: "list", data: [{ id: "mock-model" }] });
    const text = await request.text();
    const call = this.#record(request, text);
    const cue = cueOf(call.messages);
    const refusal = await this.#refusal(cue, request.signal, call);
    if (refusal) return refusal;
    const stream = replyStream(cue.steps, {
      call: this.calls.length,
      stop: this.#stop.signal,
      splitCharacters: this.#splitCharacters,
      gate: (name) => this.#gate(name).promise,
      onClosedByClient: () => call.closedByClient = true,
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  }

  #record(request: Request, text: string): ModelCall {
    const body = JSON.parse(text) as Fields;
    const call: ModelCall = {
      body,
      text,
      messages: (body.messages ?? []) as Fields[],
      authorization: request.headers.get("authorization"),
      closedByClient: false,
    };
    this.calls.push(call);
    return call;
  }

  /** The answer where the steps want something else than a stream. */
  async #refusal(cue: Cue, client: AbortSignal, call: ModelCall): Promise<Response | undefined> {
    for (const step of cue.steps) {
      if (step[0] === "hang") return await this.#neverAnswer(client, call);
      if (step[0] === "http") return failure(step[1], step[2], step[3]);
      if (step[0] === "body") return new Response(step[2], { headers: { "content-type": step[1] } });
      if (step[0] === "flaky" && this.#failAgain(cue.prompt, step)) return failure(step[2]);
    }
    return undefined;
  }

  #failAgain(prompt: string, step: Extract<Step, readonly ["flaky", ...unknown[]]>): boolean {
    const failed = this.#failures.get(prompt) ?? 0;
    this.#failures.set(prompt, failed + 1);
    return failed < step[1];
  }

  #neverAnswer(client: AbortSignal, call: ModelCall): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const end = () => resolve(new Response(null, { status: 503 }));
    this.#stop.signal.addEventListener("abort", end, { once: true });
    client.addEventListener("abort", () => {
      call.closedByClient = true;
      end();
    }, { once: true });
    return promise;
  }
}

function failure(status: number, message = `scripted failure ${status}`, headers = {}): Response {
  return Response.json({ error: { message, type: "scripted_error", param: null, code: null } }, {
    status,
    headers,
  });
}
