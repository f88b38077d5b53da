import {
  agent as createAgent,
  type AgentConnection,
  type AgentContext,
  type LoadSessionRequest,
  type NewSessionRequest,
  type PromptRequest,
  type PromptResponse,
  type Stream,
} from "@agentclientprotocol/sdk";
import { type Config, secretsOf } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { Session } from "../session/session.ts";
import type { OpenRequest, Sessions } from "../session/sessions.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import { Arrivals } from "./arrivals.ts";
import { Channel } from "./channel.ts";
import { type ClientFacts, PLAIN_CLIENT, readClient } from "./client.ts";
import { toRequestError } from "./errors.ts";
import { initializeResponse } from "./initialize.ts";
import { Outbox } from "./outbox.ts";
import { promptParts } from "./prompt.ts";
import type { Front } from "../session/ports.ts";

/** What a connection is served with. */
export interface ConnectionDeps {
  readonly config: Config;
  readonly log: Log;
  readonly tools: ToolRegistry;
  /** Makes the connection's sessions, which show themselves through `front`. */
  readonly sessions: (front: (sessionId: string) => Front, tools: ToolRegistry) => Sessions;
  /** Aborting it closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Serves one client until its stream ends, then closes every session. Never rejects. */
export async function serveConnection(stream: Stream, deps: ConnectionDeps): Promise<void> {
  const served = new ServedConnection(deps);
  await served.run(stream);
}

/** One client's connection: the table of methods and what they share. */
class ServedConnection {
  readonly #deps: ConnectionDeps;
  readonly #arrivals = new Arrivals();
  readonly #channels = new Map<string, Channel>();
  readonly #sessions: Sessions;
  readonly #outbox: Outbox;
  readonly #secrets: readonly string[];
  #client: ClientFacts = PLAIN_CLIENT;
  #connection: AgentConnection | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#secrets = secretsOf(deps.config);
    this.#sessions = deps.sessions((id) => this.#channel(id), deps.tools);
    this.#outbox = new Outbox((sessionId, update) =>
      this.#peer().notify("session/update", { sessionId, update })
    );
  }

  async run(stream: Stream): Promise<void> {
    const { config, log, signal } = this.#deps;
    const connection = this.#connection = createAgent({ name: config.agentName })
      .onRequest(
        "initialize",
        this.#answer(({ params }) => {
          this.#client = readClient(params.clientCapabilities);
          return initializeResponse(config);
        }),
      )
      .onRequest("session/new", this.#answer(({ params }) => this.#newSession(params)))
      .onRequest("session/load", this.#answer(({ params }) => this.#loadSession(params)))
      .onRequest(
        "session/prompt",
        this.#answer((call) => this.#prompt(call.params, call.requestId, call.signal)),
      )
      // Seen by `Arrivals` already, in the order it came; registered so that the SDK knows it.
      .onNotification("session/cancel", () => {})
      .connect(this.#arrivals.observe(stream));
    log.info("connected");
    const close = () => connection.close();
    if (signal?.aborted) close();
    signal?.addEventListener("abort", close, { once: true });
    await connection.closed.catch(() => {});
    signal?.removeEventListener("abort", close);
    log.info("disconnected");
    this.#outbox.close();
    await this.#sessions.close();
  }

  async #newSession(params: NewSessionRequest): Promise<{ sessionId: string }> {
    const session = await this.#sessions.create(openRequest(params));
    this.#channel(session.id).attach(session);
    return { sessionId: session.id };
  }

  async #loadSession(params: LoadSessionRequest): Promise<Record<string, never>> {
    const session = await this.#sessions.load(params.sessionId, openRequest(params));
    const channel = this.#channel(session.id);
    const replayed = channel.replay(session);
    channel.attach(session); // in the same breath: nothing happens between the replay and what follows
    await replayed;
    return {};
  }

  async #prompt(params: PromptRequest, requestId: unknown, signal: AbortSignal): Promise<PromptResponse> {
    try {
      const session: Session = this.#sessions.get(params.sessionId);
      const cancelled = AbortSignal.any([signal, this.#arrivals.signalOf(requestId)]);
      const stopReason = await session.prompt(promptParts(params.prompt), cancelled);
      return { stopReason };
    } finally {
      this.#arrivals.settled(requestId);
      await this.#outbox.flushed(params.sessionId); // every update of a turn comes before its answer
    }
  }

  #channel(sessionId: string): Channel {
    let channel = this.#channels.get(sessionId);
    if (!channel) {
      const { tools } = this.#deps;
      const drawing = this.#client.drawing;
      channel = new Channel({ sessionId, client: this.#peer(), outbox: this.#outbox, tools, drawing });
      this.#channels.set(sessionId, channel);
    }
    return channel;
  }

  #peer(): AgentContext {
    if (!this.#connection) throw new Error("The connection is not open yet.");
    return this.#connection.client;
  }

  /** Turns whatever a handler throws into a JSON-RPC error that is fit to be shown. */
  #answer<Call, Result>(handler: (call: Call) => Result | Promise<Result>): (call: Call) => Promise<Result> {
    return async (call) => {
      try {
        return await handler(call);
      } catch (e) {
        throw toRequestError(e, this.#secrets);
      }
    };
  }
}

function openRequest(params: NewSessionRequest | LoadSessionRequest): OpenRequest {
  return { cwd: params.cwd, mcpServers: (params.mcpServers ?? []).map((server) => server.name) };
}
