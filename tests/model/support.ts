import type { Config, ProviderConfig } from "../../src/config/config.ts";
import type { ChatOptions } from "../../src/model/chat.ts";
import { isAbort } from "../../src/errors.ts";
import { type Model, ModelError, type ModelPart, type ModelRequest } from "../../src/model/model.ts";
import { openModel } from "../../src/model/providers.ts";

/** The key of every test; it must never be seen in a message. */
export const KEY = "sk-test-0123456789abcdef";

/** A config with these providers and nothing else of interest. */
export function configOf(providers: Record<string, ProviderConfig>, model?: string): Config {
  return {
    model,
    systemPrompt: undefined,
    agentName: "test",
    agentVersion: "0",
    preset: "workspace",
    stateDir: "/nowhere",
    configFile: "/nowhere/config.jsonc",
    keysFile: "/nowhere/keys.json",
    log: { level: "off", file: undefined },
    providers,
    envPass: [],
    fetch: { allowPrivate: [] },
    mcpServers: [],
    rules: {},
    limits: {},
    maxModelCalls: 200,
    titles: true,
    models: {},
    environment: {},
    home: "/nowhere",
  };
}

/** A request with one user message and the usual tools. */
export function ask(text = "Hello", more: Partial<ModelRequest> = {}): ModelRequest {
  const tools = ["bash", "read", "write", "edit", "list"].map((name) => ({
    name,
    description: `The tool ${name}`,
    schema: { type: "object", properties: { command: { type: "string" } } },
  }));
  return { system: "You are a test.", messages: [{ role: "user", text }], tools, ...more };
}

/** What came out of a reply: its parts, and the error it ended with. */
export interface Outcome {
  /** All but the arguments of calls while they are written. */
  readonly parts: readonly ModelPart[];
  /** Those, put together by the call's id. */
  readonly written: Readonly<Record<string, string>>;
  readonly error: ModelError | undefined;
}

/** Reads a reply to its end, whichever it is; an error that is no ModelError is thrown. */
export async function read(
  model: Model,
  request: ModelRequest = ask(),
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const parts: ModelPart[] = [];
  const written: Record<string, string> = {};
  try {
    for await (const part of model.stream(request, signal)) {
      if (part.type === "call-args") written[part.id] = (written[part.id] ?? "") + part.text;
      else parts.push(part);
    }
    return { parts, written, error: undefined };
  } catch (error) {
    if (error instanceof ModelError) return { parts, written, error };
    throw error;
  }
}

/** A server on a free loopback port. */
export interface TestServer extends AsyncDisposable {
  readonly baseURL: string;
  readonly requests: { readonly path: string; readonly headers: Headers }[];
}

/** Starts a server; disposing it drops what is still open. `stopped` is aborted then. */
export function serve(
  handler: (request: Request, n: number, stopped: AbortSignal) => Response | Promise<Response>,
): TestServer {
  const stop = new AbortController();
  const requests: { path: string; headers: Headers }[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} },
    (request) => {
      const n = requests.push({ path: new URL(request.url).pathname, headers: new Headers(request.headers) });
      return handler(request, n, stop.signal);
    },
  );
  return {
    baseURL: `http://127.0.0.1:${server.addr.port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.finished;
    },
  };
}

/** The answer of a server that gives none. */
export function never(stopped: AbortSignal): Promise<Response> {
  return new Promise((resolve) => stopped.addEventListener("abort", () => resolve(new Response())));
}

/** Serves raw connections, one at a time: whatever HTTP libraries would not send. */
export function serveRaw(handler: (connection: Deno.Conn, n: number) => Promise<void>): TestServer {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const requests: { path: string; headers: Headers }[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(64 * 1024)); // the requests of these tests are shorter
      await handler(connection, requests.push({ path: "", headers: new Headers() })).catch(() => {});
      connection.close();
    }
  })();
  return {
    baseURL: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

/** A reply on a raw connection: headers, then `body`; unless `whole`, the end is missing. */
export function rawReply(body: Uint8Array, whole: boolean): Uint8Array {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n" +
    `content-length: ${body.length + (whole ? 0 : 1)}\r\n\r\n`;
  return new Uint8Array([...new TextEncoder().encode(head), ...body]);
}

/** A reply of events. */
export function sse(body: BodyInit | null, headers: HeadersInit = {}): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}

/** A file of fixtures/model, as it is sent. */
export async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(`../../fixtures/model/${name}`, import.meta.url));
}

/** The model of a test server; waits between tries take no time unless the options say otherwise. */
export async function modelAt(
  baseURL: string,
  kind: "deepseek" | "openai-compatible" = "openai-compatible",
  options: ChatOptions = {},
): Promise<Model> {
  const config = configOf({ [kind]: { kind, apiKey: KEY, baseURL } });
  const ref = { provider: kind, model: kind === "deepseek" ? "deepseek-flash" : "some/model" };
  let n = 0;
  return await openModel(ref, config, {
    sleep: () => Promise.resolve(),
    freshId: () => `fresh_${++n}`,
    ...options,
  });
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was not rejected");
}

/** True if a promise was rejected by an abort. */
export async function wasAborted(promise: Promise<unknown>): Promise<boolean> {
  return isAbort(await rejection(promise));
}

/** A clock that only {@linkcode FakeClock.sleep} moves. */
export class FakeClock {
  readonly waits: number[] = [];
  time = Date.UTC(2026, 10, 30, 12, 0, 0);
  now = (): number => this.time;
  random = (): number => 0.5;
  sleep = (ms: number): Promise<void> => {
    this.waits.push(ms);
    this.time += ms;
    return Promise.resolve();
  };
}

export const text = (text: string): ModelPart => ({ type: "text", text });
export const reasoning = (text: string): ModelPart => ({ type: "reasoning", text });
export const callStart = (id: string, name: string): ModelPart => ({ type: "call-start", id, name });
export const call = (id: string, name: string, args: string): ModelPart => ({
  type: "call",
  call: { id, name, args },
});
export const finish = (
  reason: "stop" | "tool-calls" | "length" | "content-filter",
  usage = {},
): ModelPart => ({
  type: "finish",
  reason,
  usage,
});
