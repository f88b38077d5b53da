import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { contentText, type Cue, cueOf, type Step } from "./model_script.ts";
import { playReply } from "./model_stream.ts";
import type { Fields } from "./wire.ts";

/** The one key that the model server does not take. */
export const WRONG_KEY = "sk-wrong-0123456789abcdef";

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
  /** Gives the calls of every reply the same ids, as some servers do. */
  readonly repeatIds?: boolean;
  /** How requests for a session's title are answered; by default they are refused, so that no title disturbs. */
  readonly titles?: readonly Step[];
  /** Requests that hold this text are answered with 400, as providers do with an image that they cannot read. */
  readonly refused?: string;
}

/**
 * A chat-completions server as DeepSeek and OpenAI have it, in this process, on a free port. What it answers
 * stands in the prompt (see `script()`), so that every test tells its own story in one place.
 *
 * It is built on node:http since `Deno.serve` does not tell reliably that a client hung up before it was
 * answered, and prints an error for a stream that is broken off on purpose.
 */
export class ModelServer implements AsyncDisposable {
  /** The requests in the order they came, without those for a title. */
  readonly calls: ModelCall[] = [];
  /** The requests for a session's title: they come between the turns, and not at any certain time. */
  readonly titleCalls: ModelCall[] = [];
  readonly #server: Server;
  readonly #stop = new AbortController();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #failures = new Map<string, number>();
  readonly #options: ModelServerOptions;
  #port = 0;

  private constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy()); // its client sees that it broke
    });
  }

  static async start(options: ModelServerOptions = {}): Promise<ModelServer> {
    const model = new ModelServer(options);
    const { promise, resolve } = Promise.withResolvers<void>();
    model.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    model.#port = (model.#server.address() as { port: number }).port;
    return model;
  }

  /** What a client is to be given as its base URL. */
  get baseURL(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
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

  /** From here on replies wait at the gate again. */
  shut(name: string): void {
    this.#gates.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    if (request.method === "GET") {
      const known = request.headers.authorization !== `Bearer ${WRONG_KEY}`;
      return refuse(response, { status: known ? 200 : 401, body: `{"object":"list","data":[]}` });
    }
    const call = this.#record(request, text);
    const client = new AbortController();
    response.on("close", () => {
      call.closedByClient = !response.writableEnded && !this.#stop.signal.aborted;
      client.abort();
    });
    const cue = isTitleCall(call) ? this.#titleCue : cueOf(call.messages);
    if (cue.steps.some((step) => step[0] === "hang")) return;
    const { refused } = this.#options;
    if (refused !== undefined && text.includes(refused)) {
      return refuse(response, failure(400, "an image cannot be decoded"));
    }
    const refusal = this.#refusal(cue);
    if (refusal) return refuse(response, refusal);
    await this.#stream(cue.steps, response, AbortSignal.any([this.#stop.signal, client.signal]));
  }

  async #stream(steps: readonly Step[], response: ServerResponse, stop: AbortSignal): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const ending = await playReply(steps, {
      call: this.#options.repeatIds ? 0 : this.calls.length,
      stop,
      splitCharacters: this.#options.splitCharacters ?? false,
      gate: (name) => this.#gate(name).promise,
      write: (bytes) => void response.write(bytes),
    });
    if (stop.aborted) return;
    if (ending === "cut") response.destroy();
    else response.end();
  }

  #record(request: IncomingMessage, text: string): ModelCall {
    const body = JSON.parse(text) as Fields;
    const call: ModelCall = {
      body,
      text,
      messages: (body.messages ?? []) as Fields[],
      authorization: request.headers.authorization ?? null,
      closedByClient: false,
    };
    (isTitleCall(call) ? this.titleCalls : this.calls).push(call);
    return call;
  }

  get #titleCue(): Cue {
    return { steps: this.#options.titles ?? [["http", 404, "no titles here"]], prompt: "(title)" };
  }

  /** The answer where the steps want something else than a stream. */
  #refusal(cue: Cue): Refusal | undefined {
    for (const step of cue.steps) {
      if (step[0] === "http") return failure(step[1], step[2], step[3]);
      if (step[0] === "body") return { status: 200, body: step[2], headers: { "content-type": step[1] } };
      if (step[0] === "flaky" && this.#failAgain(cue.prompt, step[1])) return failure(step[2], step[3]);
    }
    return undefined;
  }

  #failAgain(prompt: string, times: number): boolean {
    const failed = this.#failures.get(prompt) ?? 0;
    this.#failures.set(prompt, failed + 1);
    return failed < times;
  }
}

/** It has no tools, and an instruction that speaks of a title. */
function isTitleCall({ body, messages }: ModelCall): boolean {
  return body.tools === undefined && /\btitle\b/.test(contentText(messages[0]?.content));
}

/** An answer that is no stream. */
interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function refuse(response: ServerResponse, { status, body, headers }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

function failure(status: number, message?: string, headers?: Refusal["headers"]): Refusal {
  const error = {
    message: message ?? `scripted failure ${status}`,
    type: "scripted_error",
    param: null,
    code: null,
  };
  return { status, body: JSON.stringify({ error }), headers };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of request) text += decoder.decode(bytes, { stream: true });
  return text;
}
