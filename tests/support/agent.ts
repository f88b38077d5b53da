import { AssertionError } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { endProcess, isAlive, type Process, processesMarked, processTree } from "./process_tree.ts";
import { faultsOfLine } from "./schema.ts";
import { eventually, PATIENCE, within } from "./waiting.ts";
import { type Fields, type Frame, isResponse, type Message, type RpcError, type RpcId } from "./wire.ts";
import { type Update, updateIn } from "./wire.ts";
import { WireRules } from "./wire_rules.ts";

/** The repository's root: where the program is started from. */
export const ROOT: string = fromFileUrl(new URL("../../", import.meta.url));

/** How a user starts the program, with these arguments. */
export function programCommand(...args: string[]): string[] {
  return [Deno.execPath(), "run", "-q", "-A", `${ROOT}mod.ts`, ...args];
}

/** What the client answers to a request of the agent: a result, or an error. */
export type Answer = { readonly result: unknown } | { readonly error: RpcError };

/** How to start an agent. */
export interface AgentOptions {
  /** The whole environment of the process: nothing of the test's own passes. */
  readonly env: Readonly<Record<string, string>>;
  /** A text of that environment that marks every process of the agent's tree, such as its HOME. */
  readonly marker: string;
  readonly args?: readonly string[];
  /** Where the process is started, as an editor starts it in the project's folder. */
  readonly cwd?: string;
  /** Something else than the program, to test this harness itself. */
  readonly command?: readonly string[];
  /** Texts that must never be in a line of the agent, such as the API key. */
  readonly secrets?: readonly string[];
  /** How long processes may take to be gone after the agent's end, in milliseconds. */
  readonly grace?: number;
}

/**
 * The real program as an editor runs it: over stdio, one JSON-RPC message a line, nothing between the test
 * and the wire. Every line is checked by the schema and by {@linkcode WireRules}. Disposing it ends its
 * input and fails the test if anything was wrong: a bad line, a byte on stderr, a bad exit, a process left.
 */
export class AgentProcess implements AsyncDisposable {
  /** Every line that the agent wrote, in wire order. */
  readonly frames: Frame[] = [];
  /** How the process ended. */
  readonly exit: Promise<Deno.CommandStatus>;
  /** Answers the agent's own requests (permission, files); by default with "method not found". */
  onRequest: (message: Message) => Answer | Promise<Answer> = () => ({
    error: { code: -32601, message: "Method not found" },
  });
  stderr = "";
  /** What was found wrong so far; a test may look, and dispose fails with it. */
  readonly faults: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #readers: Promise<unknown>[];
  readonly #rules = new WireRules();
  readonly #waiters = new Set<() => void>();
  readonly #options: AgentOptions;
  #nextId = 1;
  /** Reading stands still until it resolves. */
  #reading: PromiseWithResolvers<void> | undefined;
  #ended = false;
  #killed = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    const [program, ...args] = options.command ?? programCommand(...options.args ?? []);
    this.#child = new Deno.Command(program!, {
      args,
      cwd: options.cwd ?? ROOT,
      env: { ...options.env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.exit = this.#child.status;
    this.#readers = [this.#readLines(), this.#readStderr(), this.exit.then(() => this.#markEnd())];
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Reads no more of what the agent writes, as a client does that hangs. */
  stopReading(): void {
    this.#reading ??= Promise.withResolvers();
  }

  /** Reads on where {@linkcode stopReading} stopped. */
  readOn(): void {
    this.#reading?.resolve();
    this.#reading = undefined;
  }

  /** Writes bytes as they are: for messages that are cut, joined or broken. */
  async raw(data: string | Uint8Array): Promise<void> {
    // A write to a process that has just ended is no fault of the test: what matters is what it wrote before.
    await this.#input.write(typeof data === "string" ? new TextEncoder().encode(data) : data).catch(() => {});
  }

  /** Sends messages in one single write. */
  async write(...messages: Message[]): Promise<void> {
    for (const message of messages) this.#rules.sent(message);
    await this.raw(messages.map((m) => JSON.stringify({ jsonrpc: "2.0", ...m }) + "\n").join(""));
  }

  /** Tells the rules of a message that a test will write by itself with {@linkcode raw}. */
  expect(message: Message): void {
    this.#rules.sent(message);
  }

  /** A fresh id, for messages that are put together by hand. */
  newId(): number {
    return this.#nextId++;
  }

  async notify(method: string, params: Fields): Promise<void> {
    await this.write({ method, params });
  }

  /** Sends a request and waits for its answer, be it a result or an error. */
  async request(method: string, params: Fields, id: RpcId = this.newId()): Promise<Message> {
    const from = this.frames.length;
    await this.write({ id, method, params });
    return await this.response(id, from);
  }

  /** The answer to the request `id`, whenever it comes. */
  async response(id: RpcId, from = 0): Promise<Message> {
    const frame = await this.until((m) => isResponse(m) && m.id === id, { from, what: `answer to ${id}` });
    return frame.message;
  }

  /** Like {@linkcode request}, for those that must succeed: gives the result. */
  async call(method: string, params: Fields): Promise<Fields> {
    const { error, result } = await this.request(method, params);
    if (error) throw new AssertionError(`${method} failed: ${error.code} ${error.message}`);
    return result ?? {};
  }

  /** Like {@linkcode request}, for those that must fail: gives the error. */
  async refusal(method: string, params: Fields): Promise<RpcError & { readonly data: Fields }> {
    const { error, result } = await this.request(method, params);
    if (!error) throw new AssertionError(`${method} succeeded: ${JSON.stringify(result)}`);
    return { ...error, data: (error.data ?? {}) as Fields };
  }

  /** The first frame from `from` on for which `predicate` holds, waiting for it if need be. */
  async until(
    predicate: (message: Message, frame: Frame) => boolean,
    { timeout = PATIENCE, from = 0, what = "a message" } = {},
  ): Promise<Frame> {
    const deadline = performance.now() + timeout;
    for (let next = from;;) {
      for (; next < this.frames.length; next++) {
        const frame = this.frames[next]!;
        if (predicate(frame.message, frame)) return frame;
      }
      const left = deadline - performance.now();
      if (left <= 0 || this.#ended) throw new AssertionError(this.#missing(what));
      await this.#news(left);
    }
  }

  /** All updates of one session so far, from the given frame on. */
  updatesOf(sessionId: string, from = 0, to?: number): Update[] {
    return this.frames.slice(from, to).flatMap((f) => updateIn(f.message, sessionId) ?? []);
  }

  /** Ends the agent's input, as an editor does that quits, and waits for its end. */
  async closeInput(): Promise<Deno.CommandStatus> {
    await this.#input.close().catch(() => {});
    return await within("the agent's end at the end of its input", this.exit);
  }

  /** Sends a signal and waits for the end. Its exit status is then the test's own business. */
  async kill(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    this.#killed = true;
    this.#child.kill(signal);
    return await within(`the agent's end after ${signal}`, this.exit);
  }

  /** The living processes of the agent's tree, those that were re-parented included. */
  processes(): Process[] {
    const found = [...processTree(this.pid), ...processesMarked(this.#options.marker)];
    return [...new Map(found.map((p) => [p.pid, p])).values()].filter((p) => isAlive(p.pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const tree = this.processes();
    this.readOn();
    const status = await this.closeInput().catch(() => undefined);
    if (!status) await this.kill("SIGKILL");
    if (!this.#killed && status?.code !== 0) {
      this.faults.push(`the agent ended with ${JSON.stringify(status)}`);
    }
    await Promise.all(this.#readers);
    await this.#input.abort().catch(() => {});
    await this.#checkLeftovers(tree);
    this.faults.push(...this.#rules.faults);
    if (this.stderr) this.faults.push(`stderr: ${this.stderr.slice(0, 2000)}`);
    if (this.faults.length > 0) throw new AssertionError(this.#report());
  }

  async #checkLeftovers(tree: Process[]): Promise<void> {
    const left = () => [...tree.filter((p) => isAlive(p.pid)), ...processesMarked(this.#options.marker)];
    await eventually("the processes are gone", () => left().length === 0, this.#options.grace ?? 5_000).catch(
      () => {
        this.faults.push(...left().map((p) => `process ${p.pid} lives on: ${p.command.slice(0, 200)}`));
        left().forEach(endProcess);
      },
    );
  }

  #report(): string {
    const shown = this.faults.slice(0, 12).map((fault) => `- ${fault}`).join("\n");
    return `${this.faults.length} faults on the wire or at the end of the agent:\n${shown}`;
  }

  #missing(what: string): string {
    const tail = this.frames.slice(-6).map((f) => JSON.stringify(f.message).slice(0, 400)).join("\n  ");
    const state = this.#ended ? "the agent has ended" : "time is over";
    return `${what} did not come (${state}); last lines:\n  ${tail}\nstderr: ${this.stderr.slice(0, 2000)}`;
  }

  #news(timeout: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeout);
    this.#waiters.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(resolve);
    });
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
  }

  async #markEnd(): Promise<void> {
    await Promise.all(this.#readers.slice(0, 1)); // what it wrote before its end still counts
    this.#ended = true;
    this.#wake();
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stderr) this.stderr += decoder.decode(bytes, { stream: true });
  }

  async #readLines(): Promise<void> {
    let rest = new Uint8Array();
    for await (const bytes of this.#child.stdout) {
      const parts: number[] = [];
      bytes.forEach((byte, at) => byte === 10 && parts.push(at));
      let from = 0;
      for (const end of parts) {
        this.#take(joinBytes(rest, bytes.subarray(from, end)));
        rest = new Uint8Array();
        from = end + 1;
      }
      rest = joinBytes(rest, bytes.subarray(from));
      await this.#reading?.promise;
    }
    if (rest.length > 0) this.faults.push(`stdout ends without a newline: ${new TextDecoder().decode(rest)}`);
  }

  #take(bytes: Uint8Array): void {
    const line = this.#decode(bytes);
    this.faults.push(...faultsOfLine(line, (id) => this.#rules.methodOf(id)));
    for (const secret of this.#options.secrets ?? []) {
      if (line.includes(secret)) this.faults.push(`a secret is in ${line.slice(0, 300)}`);
    }
    const message = parse(line);
    if (!message) return;
    this.#rules.received(message);
    this.frames.push({ index: this.frames.length, bytes: bytes.length, message });
    if (message.method !== undefined && message.id !== undefined) void this.#answer(message);
    this.#wake();
  }

  #decode(bytes: Uint8Array): string {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      this.faults.push("a line that is not UTF-8");
      return new TextDecoder().decode(bytes);
    }
  }

  async #answer(request: Message): Promise<void> {
    const answer = await this.onRequest(request);
    await this.raw(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer }) + "\n");
  }
}

function parse(line: string): Message | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // the schema check has told of it
  }
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
