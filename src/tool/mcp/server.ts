import type {
  CallToolResult,
  Client,
  ElicitRequestParams,
  ElicitResult,
  GetPromptResult,
  ReadResourceResult,
  RequestOptions,
  Resource,
} from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../../config/config.ts";
import { messageOf } from "../../errors.ts";
import { plainLine } from "../plain_line.ts";
import type { ToolContext } from "../tool.ts";
import type { Connection } from "./connect.ts";
import { Asking } from "./asking.ts";
import { IdleLimit } from "./idle.ts";
import { LIST_MS, ListRefresher, NOTHING, type Offered, offeredBy } from "./lists.ts";
import { shownName } from "./names.ts";
import { ProgressLines } from "./progress.ts";
import { redactor, secretsIn } from "./secrets.ts";

/** Milliseconds without a sign of life after which a call is given up, where the settings say nothing. */
const IDLE_MS = 120_000;
/** The longest time that a timer takes: the call's own limit counts. */
const NEVER_MS = 2 ** 31 - 1;
/** Characters of a cause in a note. */
const MAX_CAUSE = 600;
/** How often a server that ended is started again by its use, with no call in between that went well. */
const MAX_RESTARTS = 3;

/** What a server is made of. */
export interface ServerOptions {
  readonly spec: McpServerConfig;
  readonly cwd: string;
  /** All directories of the workspace, absolute. */
  readonly roots: () => readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly client: { readonly name: string; readonly version: string };
  readonly elicits: { readonly form: boolean; readonly url: boolean };
  /** What it offers, or how it is, has changed. */
  readonly changed: () => void;
}

/** What a request to a server is made with. */
export type CallContext = Pick<ToolContext, "signal" | "emit" | "user">;

type State =
  | { readonly kind: "starting"; readonly stop: AbortController; readonly done: Promise<void> }
  | { readonly kind: "ready"; readonly connection: Connection }
  /** It could not be started, or has ended. */
  | { readonly kind: "down"; readonly cause: string }
  | { readonly kind: "closed" };

/**
 * One MCP server of a session. A server that has ended keeps its tools: their next call starts it again, a few
 * times. No text that leaves here holds a secret of its settings.
 */
export class McpServer {
  readonly spec: McpServerConfig;
  /** As people, rules and grants know it. */
  readonly name: string;
  readonly redact: (text: string) => string;
  readonly #options: ServerOptions;
  readonly #asking: Asking;
  #state: State = { kind: "down", cause: "it was not started" };
  #offered: Offered = NOTHING;
  #restarts = 0;
  #note: string | undefined;
  readonly #refresher = new ListRefresher(() => this.#readLists());

  constructor(options: ServerOptions) {
    this.#options = options;
    this.spec = options.spec;
    this.name = shownName(options.spec.name);
    this.redact = redactor(secretsIn(options.spec));
    this.#asking = new Asking(this.name, this.redact);
  }

  get offered(): Offered {
    return this.#offered;
  }

  /** How it is, and why it is down. */
  get status(): { readonly state: State["kind"]; readonly cause?: string } {
    const { kind } = this.#state;
    return this.#state.kind === "down" ? { state: kind, cause: this.#state.cause } : { state: kind };
  }

  /** What the user has not been told yet, each once. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }

  /** Starts it, unless it runs. Never rejects: a failure is its state, and a note. */
  async start(): Promise<void> {
    if (this.#state.kind === "starting") return await this.#state.done;
    if (this.#state.kind !== "down") return;
    const stop = new AbortController();
    const done = this.#connect(stop.signal);
    this.#state = { kind: "starting", stop, done };
    await done;
  }

  /** Resolves when it neither starts nor looks at lists anew. Never rejects. */
  async settled(): Promise<void> {
    if (this.#state.kind === "starting") await this.#state.done;
    await this.#refresher.settled();
  }

  /** Ends it and starts it anew. Never rejects. */
  async restart(): Promise<void> {
    await this.close();
    this.#restarts = 0;
    this.#state = { kind: "down", cause: "it was not started" };
    await this.start();
    this.#note = undefined; // who asked for it is told at once
  }

  /** Ends it for good. Never rejects. */
  async close(): Promise<void> {
    const before = this.#state;
    this.#state = { kind: "closed" };
    if (before.kind === "starting") {
      before.stop.abort();
      await before.done;
    }
    if (before.kind === "ready") await before.connection.close();
  }

  /** The workspace has other directories now. */
  rootsChanged(): void {
    if (this.#state.kind === "ready") {
      void this.#state.connection.client.sendRootsListChanged().catch(() => {});
    }
  }

  /** Calls a tool. @throws Error that says in words for the model what went wrong; an abort on cancel. */
  callTool(name: string, args: Record<string, unknown>, context: CallContext): Promise<CallToolResult> {
    return this.#request(
      context,
      async (client, options) => {
        const { callToolResult } = await import("./mended.ts");
        const request = { method: "tools/call", params: { name, arguments: args } };
        return await client.request(request, callToolResult, options);
      },
    );
  }

  /** Reads a resource. @throws like {@linkcode callTool} */
  readResource(uri: string, context: CallContext): Promise<ReadResourceResult> {
    return this.#request(
      context,
      async (client, options) => {
        const { readResourceResult } = await import("./mended.ts");
        return await client.request(
          { method: "resources/read", params: { uri } },
          readResourceResult,
          options,
        );
      },
    );
  }

  /** Lists resources, and the patterns of further ones. @throws like {@linkcode callTool} */
  async listResources(
    context: CallContext,
  ): Promise<{ resources: readonly Resource[]; templates: readonly string[] }> {
    return await this.#request(context, async (client, options) => {
      const { resources } = await client.listResources(undefined, options);
      const { resourceTemplates } = await client.listResourceTemplates(undefined, options)
        .catch(() => ({ resourceTemplates: [] })); // few servers have any, some know no such method
      return { resources, templates: resourceTemplates.map((t) => t.uriTemplate) };
    });
  }

  /** Fills in a prompt. @throws like {@linkcode callTool} */
  async getPrompt(name: string, args: Record<string, string>): Promise<GetPromptResult> {
    const signal = AbortSignal.timeout(LIST_MS);
    const { client, faultOf } = await this.#open(signal);
    try {
      return await client.getPrompt({ name, arguments: args }, { timeout: LIST_MS });
    } catch (e) {
      throw this.#failure(`refuses the prompt: ${await faultOf(e)}`);
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { spec, cwd, environment, client, elicits, roots } = this.#options;
    try {
      const { connect } = await import("./connect.ts");
      const hooks = {
        roots,
        elicit: (params: ElicitRequestParams): Promise<ElicitResult> => this.#asking.elicit(params),
        elicitationDone: (id: string) => this.#asking.done(id),
        changed: () => this.#refresher.changed(),
        closed: (cause: string) => this.#down(cause, "ended"),
      };
      const connection = await connect({ spec, cwd, environment, client, elicits, hooks }, signal);
      try {
        this.#offered = await offeredBy(connection.client, signal);
      } catch (e) {
        const fault = await connection.faultOf(e);
        await connection.close();
        throw new Error(`its lists cannot be read: ${fault}`);
      }
      if (signal.aborted) return await connection.close();
      this.#state = { kind: "ready", connection };
      this.#options.changed();
    } catch (e) {
      if (!signal.aborted) this.#down(messageOf(e), "could not be started");
    }
  }

  #down(cause: string, how: string): void {
    if (this.#state.kind === "closed") return;
    const plain = this.redact(cause);
    this.#state = { kind: "down", cause: plain };
    const isUsed = this.#asking.isUsed; // then the card says it
    if (!isUsed) this.#note = `The MCP server \`${this.name}\` ${how}: ${plainLine(plain, MAX_CAUSE)}.`;
    this.#options.changed();
  }

  async #request<T>(
    context: CallContext,
    work: (client: Client, options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const { signal, emit } = context;
    const idleMs = this.spec.timeoutMs ?? IDLE_MS;
    using idle = new IdleLimit(idleMs);
    using lines = new ProgressLines((line) => emit(this.redact(line)));
    using _ = this.#asking.during({ context, idle });
    const connection = await idle.waiting(() => this.#open(signal)); // its start has a limit of its own
    const { client, faultOf } = connection;
    try {
      const result = await work(client, {
        signal: AbortSignal.any([signal, idle.signal]),
        timeout: NEVER_MS,
        onprogress: (progress) => {
          idle.alive();
          lines.push(progress);
        },
      });
      this.#restarts = 0;
      return result;
    } catch (e) {
      signal.throwIfAborted();
      if (idle.signal.aborted) {
        const seconds = Math.ceil(idleMs / 1000);
        throw this.#failure(`gave no sign of life for ${seconds} seconds: the call was given up. ${UNKNOWN}`);
      }
      const fault = await faultOf(e);
      if (this.#state.kind === "down") {
        throw this.#failure(
          `ended during the call: ${this.#state.cause}. ${UNKNOWN} Its next use starts it again.`,
        );
      }
      if (connection.isLost(e)) {
        await connection.close();
        this.#down(fault, "was lost");
        throw this.#failure(`cannot be reached: ${fault}. ${UNKNOWN} Its next use connects anew.`);
      }
      const visited = await this.#asking.visitWanted(e, { context, idle });
      throw this.#failure(visited ?? `answers with an error: ${fault}`);
    }
  }

  /** The connection; one that has ended is made again. */
  async #open(signal: AbortSignal): Promise<Connection> {
    if (this.#state.kind === "down") {
      if (this.#restarts >= MAX_RESTARTS) {
        throw this.#failure(
          `is down, and was started again ${MAX_RESTARTS} times in vain: ${this.#state.cause}`,
        );
      }
      this.#restarts++;
      void this.start();
    }
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (this.#state.kind === "starting") await Promise.race([this.#state.done, aborted]);
    signal.throwIfAborted();
    const state: State = this.#state;
    if (state.kind === "ready") return state.connection;
    this.#note = undefined; // the card says it
    throw this.#failure(state.kind === "down" ? `is down: ${state.cause}` : "was closed");
  }

  #failure(what: string): Error {
    return new Error(this.redact(`The MCP server ${this.name} ${what}`));
  }

  async #readLists(): Promise<void> {
    if (this.#state.kind !== "ready") return;
    try {
      this.#offered = await offeredBy(this.#state.connection.client);
      this.#options.changed();
    } catch { /* what it offered before stands */ }
  }
}

const UNKNOWN = "Whether it had effects is not known.";
