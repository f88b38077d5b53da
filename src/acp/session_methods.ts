import type {
  AgentContext,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
  SetSessionModeResponse,
} from "@agentclientprotocol/sdk";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import { modelChoices } from "../model/choices.ts";
import { parseRules } from "../permission/rules.ts";
import { modelOpener, prepareModel } from "../session/model_opener.ts";
import type { OpenModel } from "../session/ports.ts";
import type { Session } from "../session/session.ts";
import { type OpenRequest, Sessions } from "../session/sessions.ts";
import type { SessionStore } from "../session/store.ts";
import { pruneTempDirs } from "../session/temp_dirs.ts";
import { sessionWorkbench } from "../session/workbench.ts";
import { builtinTools, type ToolRegistry } from "../tool/registry.ts";
import { Channel } from "./channel.ts";
import type { ClientFacts } from "./client.ts";
import { Outbox } from "./outbox.ts";
import { promptParts } from "./prompt.ts";
import {
  changeByMode,
  changeByOption,
  configOptions,
  type OptionFacts,
  sessionModes,
} from "./session_options.ts";

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
  /** The options as each session's client last saw them, as JSON. */
  readonly #shownOptions = new Map<string, string>();
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
      rules: parseRules(config.rules),
      store: () => this.#openStore(),
      front: (id) => this.#channel(id),
      workbench: (place) => sessionWorkbench({ config, log, ...place }),
    });
  }

  async newSession(params: NewSessionRequest): Promise<NewSessionResponse> {
    const session = await this.#sessions.create(openRequest(params));
    this.#channel(session.id).attach(session);
    setTimeout(() => void prepareModel(this.#deps.config, this.#openModel)); // behind the answer: the user is about to prompt
    return { sessionId: session.id, ...this.#options(session) };
  }

  /** Settles when the whole conversation has been shown. */
  loadSession(params: LoadSessionRequest): Promise<LoadSessionResponse> {
    const loading = this.#load(params);
    const settled = loading.then(() => {}, () => {});
    this.#loads.set(params.sessionId, settled);
    void settled.then(() => {
      if (this.#loads.get(params.sessionId) === settled) this.#loads.delete(params.sessionId);
    });
    return loading;
  }

  async #load(params: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#sessions.load(params.sessionId, openRequest(params));
    const channel = this.#channel(session.id);
    const replayed = channel.replay(session);
    channel.attach(session); // in the same breath: nothing happens between the replay and what follows
    await replayed;
    return this.#options(session);
  }

  /** Settles when the turn has ended and every update of it is written. */
  async prompt(params: PromptRequest, cancelled: AbortSignal): Promise<PromptResponse> {
    await this.#loads.get(params.sessionId); // a prompt written right behind its load
    try {
      const session = this.#sessions.get(params.sessionId);
      const stopReason = await session.prompt(promptParts(params.prompt), cancelled);
      this.#showOptionsIfChanged(session); // the first command tells what the confinement obtained
      return { stopReason };
    } finally {
      await this.#outbox.flushed(params.sessionId);
    }
  }

  /** Sets an option; clients that show modes are told as well. */
  setConfigOption(params: SetSessionConfigOptionRequest): SetSessionConfigOptionResponse {
    const session = this.#sessions.get(params.sessionId);
    const before = session.preset;
    session.change(changeByOption(params.configId, params.value, this.#facts(session)));
    if (session.preset !== before) {
      this.#outbox.push(session.id, { sessionUpdate: "current_mode_update", currentModeId: session.preset });
    }
    const { configOptions } = this.#options(session);
    return { configOptions };
  }

  /** Sets a mode; clients that show options are told as well. */
  setMode(params: SetSessionModeRequest): SetSessionModeResponse {
    const session = this.#sessions.get(params.sessionId);
    session.change(changeByMode(params.modeId));
    this.#showOptionsIfChanged(session);
    return {};
  }

  /** Ends every session; the client is gone. Never rejects. */
  async close(): Promise<void> {
    this.#outbox.close();
    await this.#sessions.close();
    this.#store?.close();
  }

  /** The session's options and modes as they stand; the client is about to be told. */
  #options(session: Session): { configOptions: SessionConfigOption[]; modes: SessionModeState } {
    const facts = this.#facts(session);
    const configs = configOptions(facts);
    this.#shownOptions.set(session.id, JSON.stringify(configs));
    return { configOptions: configs, modes: sessionModes(facts) };
  }

  #facts({ settings, report }: Session): OptionFacts {
    return { settings, report, models: modelChoices(this.#deps.config, settings.model) };
  }

  #showOptionsIfChanged(session: Session): void {
    const before = this.#shownOptions.get(session.id);
    const { configOptions } = this.#options(session);
    if (before === this.#shownOptions.get(session.id)) return;
    this.#outbox.push(session.id, { sessionUpdate: "config_option_update", configOptions });
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
