import type {
  AgentContext,
  AuthenticateRequest,
  AuthenticateResponse,
  PromptResponse,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
  SetSessionModeResponse,
} from "@agentclientprotocol/sdk";
import type { Preset } from "../config/config.ts";
import type { Keyring } from "../config/keyring.ts";
import type { Log } from "../log.ts";
import { eyesOf, modelChoices } from "../model/choices.ts";
import { parseRules } from "../permission/rules.ts";
import { modelOpener, prepareModel } from "../session/model_opener.ts";
import type { OpenModel } from "../session/ports.ts";
import type { Session } from "../session/session.ts";
import { Sessions } from "../session/sessions.ts";
import { StateDir } from "../session/store/state_dir.ts";
import { sessionWorkbench } from "../session/workbench.ts";
import { builtinTools, type ToolRegistry } from "../tool/registry.ts";
import { checkAuthMethod } from "./authentication.ts";
import { availableCommandsOf } from "./available_commands.ts";
import { Channel } from "./channel.ts";
import type { ClientFacts } from "./client.ts";
import { Lifecycle, type OpenedSession } from "./lifecycle.ts";
import { Outbox } from "./outbox.ts";
import { promptParts } from "./prompt.ts";
import { promptResponse } from "./usage.ts";
import { promptParams } from "./prompt_params.ts";
import {
  changeByMode,
  changeByOption,
  configOptions,
  type OptionFacts,
  sessionModes,
} from "./session_options.ts";

/** What becomes of a steering message: taken up by the running turn, or nothing runs and a prompt is wanted. */
type SteeringResult =
  | { readonly outcome: "injected" }
  | { readonly outcome: "failed"; readonly idleBehavior: "promptRequired" };

/** What the session methods of one connection work with. */
export interface SessionMethodsDeps {
  readonly keyring: Keyring;
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
  /** Those that open, end and list sessions. */
  readonly lifecycle: Lifecycle;
  readonly #deps: SessionMethodsDeps;
  readonly #tools: ToolRegistry = builtinTools();
  readonly #channels = new Map<string, Channel>();
  readonly #outbox: Outbox;
  readonly #sessions: Sessions;
  readonly #openModel: OpenModel;
  /** The options as each session's client last saw them, as JSON. */
  readonly #shownOptions = new Map<string, string>();
  /** The same of the commands. */
  readonly #shownCommands = new Map<string, string>();
  readonly #state: StateDir;

  constructor(deps: SessionMethodsDeps) {
    this.#deps = deps;
    const { keyring, log, peer } = deps;
    const { config } = keyring;
    this.#openModel = modelOpener(() => keyring.config);
    this.#outbox = new Outbox((sessionId, update) => peer.notify("session/update", { sessionId, update }));
    this.#state = new StateDir({ config, log });
    this.#sessions = new Sessions({
      config,
      log,
      tools: this.#tools,
      openModel: this.#openModel,
      models: () => {
        const groups = modelChoices(keyring.config)?.groups ?? [];
        return groups.flatMap((group) => group.models.map((model) => model.id));
      },
      rules: parseRules(config.rules),
      state: this.#state,
      elicits: () => deps.client().elicits,
      secrets: () => keyring.secrets,
      hide: (secrets) => keyring.hide(secrets),
      commandsChanged: (id) => {
        const session = this.#sessions.find(id);
        if (session) void this.#showCommandsIfChanged(session);
      },
      front: (id) => this.#channel(id),
      workbench: (place) => sessionWorkbench({ config, log, ...place }),
    });
    this.lifecycle = new Lifecycle({
      sessions: this.#sessions,
      state: this.#state,
      channel: (id) => this.#channel(id),
      forget: (id) => this.#forget(id),
      opened: (session) => this.#opened(session),
    });
  }

  /** Is there a model to be reached now? @throws AgentError("auth-required") that names the ways to one. */
  async authenticate({ methodId }: AuthenticateRequest): Promise<AuthenticateResponse> {
    checkAuthMethod(methodId);
    await this.#openModel();
    return {};
  }

  /** Settles when the turn has ended and every update of it is written. */
  async prompt(params: unknown, cancelled: AbortSignal): Promise<PromptResponse> {
    const { sessionId, prompt } = promptParams(params);
    const session = this.#sessions.get(sessionId);
    const before = session.preset;
    try {
      const parts = promptParts(prompt, eyesOf(this.#deps.keyring.config, session.settings.model));
      const end = await session.prompt(parts, cancelled);
      this.#showModeIfChanged(session, before);
      this.#showOptionsIfChanged(session); // the first command tells what the confinement obtained
      await this.#showCommandsIfChanged(session);
      await this.#outbox.flushed(session.id);
      if (end.stop === "end_turn" && !cancelled.aborted) setTimeout(() => session.pause()); // behind the answer
      return promptResponse(end);
    } finally {
      await this.#outbox.flushed(session.id);
    }
  }

  /** A cancel came; the prompts that it hits have been told already. */
  cancelled(sessionId: string): void {
    this.#sessions.find(sessionId)?.endPause();
  }

  /** Says something into the running turn. */
  steer(params: unknown): SteeringResult {
    const { sessionId, prompt } = promptParams(params);
    const session = this.#sessions.get(sessionId);
    const parts = promptParts(prompt, eyesOf(this.#deps.keyring.config, session.modelOfTurn));
    return session.steer(parts)
      ? { outcome: "injected" }
      : { outcome: "failed", idleBehavior: "promptRequired" };
  }

  /** Sets an option; clients that show modes are told as well. */
  setConfigOption(params: SetSessionConfigOptionRequest): SetSessionConfigOptionResponse {
    const session = this.#sessions.get(params.sessionId);
    const before = session.preset;
    session.change(changeByOption(params.configId, params.value, this.#facts(session)));
    this.#showModeIfChanged(session, before);
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
    await this.#state.close();
  }

  /** What a client is told of a session that was opened; it is about to prompt. */
  #opened(session: Session): OpenedSession {
    setTimeout(() => void this.#showCommandsIfChanged(session));
    setTimeout(() => session.startServers());
    setTimeout(() => void prepareModel(this.#deps.keyring.config, this.#openModel)); // behind the answer
    return this.#options(session);
  }

  #forget(sessionId: string): void {
    this.#channels.delete(sessionId);
    this.#shownOptions.delete(sessionId);
    this.#shownCommands.delete(sessionId);
  }

  /** The session's options and modes as they stand; the client is about to be told. */
  #options(session: Session): OpenedSession {
    const facts = this.#facts(session);
    const configs = configOptions(facts);
    this.#shownOptions.set(session.id, JSON.stringify(configs));
    return { configOptions: configs, modes: sessionModes(facts) };
  }

  #facts({ settings, report }: Session): OptionFacts {
    return { settings, report, models: modelChoices(this.#deps.keyring.config, settings.model) };
  }

  #showModeIfChanged(session: Session, before: Preset): void {
    if (session.preset === before) return;
    this.#outbox.push(session.id, { sessionUpdate: "current_mode_update", currentModeId: session.preset });
  }

  #showOptionsIfChanged(session: Session): void {
    const before = this.#shownOptions.get(session.id);
    const { configOptions } = this.#options(session);
    if (before === this.#shownOptions.get(session.id)) return;
    this.#outbox.push(session.id, { sessionUpdate: "config_option_update", configOptions });
  }

  async #showCommandsIfChanged(session: Session): Promise<void> {
    const availableCommands = availableCommandsOf(await session.commands());
    const json = JSON.stringify(availableCommands);
    // It may have been closed meanwhile.
    if (this.#sessions.find(session.id) !== session || this.#shownCommands.get(session.id) === json) return;
    this.#shownCommands.set(session.id, json);
    this.#outbox.push(session.id, { sessionUpdate: "available_commands_update", availableCommands });
  }

  #channel(sessionId: string): Channel {
    let channel = this.#channels.get(sessionId);
    if (!channel) {
      const { peer, client } = this.#deps;
      const { drawing, elicits, files } = client();
      channel = new Channel({
        sessionId,
        peer,
        outbox: this.#outbox,
        tools: this.#tools,
        drawing,
        elicits,
        files,
      });
      this.#channels.set(sessionId, channel);
    }
    return channel;
  }
}
