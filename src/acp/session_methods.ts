import type {
  AgentContext,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  PromptResponse,
} from "@agentclientprotocol/sdk";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import { modelOpener, prepareModel } from "../session/model_opener.ts";
import type { OpenModel } from "../session/ports.ts";
import { type OpenRequest, Sessions } from "../session/sessions.ts";
import type { SessionStore } from "../session/store.ts";
import { pruneTempDirs } from "../session/temp_dirs.ts";
import { sessionWorkbench } from "../session/workbench.ts";
import { builtinTools, type ToolRegistry } from "../tool/registry.ts";
import { Channel } from "./channel.ts";
import type { ClientFacts } from "./client.ts";
import { Outbox } from "./outbox.ts";
import { promptParts } from "./prompt.ts";

/** What the session methods of one connection work with. */
export interface SessionMethodsDeps {
  readonly config: Config;
  readonly log: Log;
  /** The other side. */
  readonly peer: AgentContext;
  /** The client's capabilities as they stand; `initialize` may come again. */
  readonly client: () => ClientFacts;
}

/**
 * All methods that need a session. A module of its own, loaded when `initialize` has been answered: the
 * house behind it would only delay that answer.
 */
export class SessionMethods {
  readonly #deps: SessionMethodsDeps;
  readonly #tools: ToolRegistry = builtinTools();
  readonly #channels = new Map<string, Channel>();
  readonly #outbox: Outbox;
  readonly #sessions: Sessions;
  readonly #openModel: OpenModel;
  /** Loads under way, by session. */
  readonly #loads = new Map<string, Promise<void>>();
  #store: SessionStore | undefined;

  constructor(deps: SessionMethodsDeps) {
    this.#deps = deps;
    const { config, log, peer } = deps;
    this.#openModel = modelOpener(config);
    this.#outbox = new Outbox((sessionId, update) => peer.notify("session/update", { sessionId, update }));
    this.#sessions = new Sessions({
      config,
      log,
      tools: this.#tools,
      openModel: this.#openModel,
      store: () => this.#openStore(),
      front: (id) => this.#channel(id),
      workbench: (place) => sessionWorkbench({ config, log, ...place }),
    });
  }

  async newSession(params: NewSessionRequest): Promise<{ sessionId: string }> {
    const session = await this.#sessions.create(openRequest(params));
    this.#channel(session.id).attach(session);
    setTimeout(() => void prepareModel(this.#deps.config, this.#openModel)); // behind the answer: the user is about to prompt
    return { sessionId: session.id };
  }

  /** Settles when the whole conversation has been shown. */
  loadSession(params: LoadSessionRequest): Promise<Record<string, never>> {
    const loading = this.#load(params);
    const settled = loading.then(() => {}, () => {});
    this.#loads.set(params.sessionId, settled);
    void settled.then(() => {
      if (this.#loads.get(params.sessionId) === settled) this.#loads.delete(params.sessionId);
    });
    return loading;
  }

  async #load(params: LoadSessionRequest): Promise<Record<string, never>> {
    const session = await this.#sessions.load(params.sessionId, openRequest(params));
    const channel = this.#channel(session.id);
    const replayed = channel.replay(session);
    channel.attach(session); // in the same breath: nothing happens between the replay and what follows
    await replayed;
    return {};
  }

  /** Settles when the turn has ended and every update of it is written. */
  async prompt(params: PromptRequest, cancelled: AbortSignal): Promise<PromptResponse> {
    await this.#loads.get(params.sessionId); // a prompt written right behind its load
    try {
      const session = this.#sessions.get(params.sessionId);
      return { stopReason: await session.prompt(promptParts(params.prompt), cancelled) };
    } finally {
      await this.#outbox.flushed(params.sessionId);
    }
  }

  /** Ends every session; the client is gone. Never rejects. */
  async close(): Promise<void> {
    this.#outbox.close();
    await this.#sessions.close();
    this.#store?.close();
  }

  #channel(sessionId: string): Channel {
    let channel = this.#channels.get(sessionId);
    if (!channel) {
      const { peer, client } = this.#deps;
      channel = new Channel({
        sessionId,
        peer,
        outbox: this.#outbox,
        tools: this.#tools,
        drawing: client().drawing,
      });
      this.#channels.set(sessionId, channel);
    }
    return channel;
  }

  /** SQLite is loaded by the first prompt or load. */
  async #openStore(): Promise<SessionStore> {
    const { SqliteStore } = await import("../session/sqlite_store.ts");
    if (!this.#store) {
      this.#store = new SqliteStore(this.#deps.config.stateDir);
      void pruneTempDirs(this.#deps.config.stateDir); // beside the first turn, which does not wait for it
    }
    return this.#store;
  }
}

function openRequest(params: NewSessionRequest | LoadSessionRequest): OpenRequest {
  return { cwd: params.cwd, mcpServers: (params.mcpServers ?? []).map((server) => server.name) };
}
