import type { Config, McpServerConfig } from "../config/config.ts";
import { AgentError, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Rules } from "../permission/rules.ts";
import { secretsIn } from "../tool/mcp/secrets.ts";
import { McpServers } from "../tool/mcp/servers.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import { checkCwd, reconcileCwd } from "./cwd.ts";
import { EditorTrust } from "./editor/editor_trust.ts";
import { EventLog } from "./event_log.ts";
import type { LoggedEvent, SessionEvent } from "./event.ts";
import { isSessionId, randomId } from "./ids.ts";
import { sessionGrants } from "./grant_book.ts";
import { closingEvents, forkingEvents } from "./store/log_recovery.ts";
import type { Front, OpenModel, Workbench } from "./ports.ts";
import { checkRoots } from "./roots.ts";
import { Session } from "./session.ts";
import type { SessionDeps } from "./session_deps.ts";
import { readCommands } from "./slash/all.ts";
import { type Settings, type SettingsEvent, settingsOf } from "./settings.ts";
import { Snapshots } from "./undo/snapshots.ts";
import type { StateDir } from "./store/state_dir.ts";
import type { SessionStore } from "./store/store.ts";
import { storedPlace } from "./store/stored_place.ts";

/** What all sessions of a connection share. */
export interface SessionsDeps {
  readonly config: Config;
  readonly log: Log;
  readonly tools: ToolRegistry;
  readonly openModel: OpenModel;
  /** Models to choose from, `provider/model`. */
  readonly models: () => readonly string[];
  /** The user's own, from the configuration. */
  readonly rules: Rules;
  /** Opened on first use: a connection that only looks around touches no disk. */
  readonly state: StateDir;
  /** Which ways of asking the user the client has. */
  readonly elicits: () => { readonly form: boolean; readonly url: boolean };
  /** Values that must never be shown, as they are now. */
  readonly secrets: () => readonly string[];
  /** Adds to them. */
  readonly hide: (secrets: readonly string[]) => void;
  /** The commands of a session may be others now. */
  readonly commandsChanged: (sessionId: string) => void;
  readonly front: (sessionId: string) => Front;
  readonly workbench: (place: { cwd: string; tempDir: () => string }) => Workbench;
}

/** How a client opens a session. */
export interface OpenRequest {
  readonly cwd: string;
  /** Further directories of the workspace: all of them, none when left out. */
  readonly roots: readonly string[];
  /** The client's; the user's own of other names come along. */
  readonly mcpServers: readonly McpServerConfig[];
}

/** The open sessions of one connection, by id, and the way to those that are stored. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #editorTrust = new EditorTrust();
  readonly #open = new Map<string, Session>();
  /** Loads under way: a second load of the same id waits for the first and gets the same session. */
  readonly #loading = new Map<string, Promise<Session>>();
  #closed = false;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** The session of this id, if it is open here. */
  find(id: string): Session | undefined {
    return this.#open.get(id);
  }

  /** @throws AgentError("session-not-found") */
  get(id: string): Session {
    return this.#open.get(id) ?? notFound(id);
  }

  /** Opens a new session. @throws AgentError("invalid-params") for an unusable cwd or root. */
  async create(request: OpenRequest): Promise<Session> {
    await checkCwd(request.cwd);
    const roots = await checkRoots(request.roots);
    return await this.#begin({ ...request, roots });
  }

  /**
   * Opens a stored session, or gives the open one; from its next turn on it has the roots of the request.
   * @throws AgentError("session-not-found"), ("invalid-params") for a cwd that is not the session's or an
   * unusable root, ("store").
   */
  async load(id: string, request: OpenRequest): Promise<Session> {
    const roots = await checkRoots(request.roots);
    const open = this.#open.get(id);
    if (open) {
      await reconcileCwd(open.cwd, request.cwd);
      open.setRoots(roots);
      open.setServers(this.#servers(request.mcpServers));
      return open;
    }
    const loading = this.#loading.get(id) ??
      this.#load(id, { ...request, roots }).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return await loading;
  }

  /**
   * Opens a new session that knows all that one of another id has come to so far; neither hears of the other
   * again. It may work in another directory. A session that another process has open can be forked too.
   */
  async fork(id: string, request: OpenRequest): Promise<Session> {
    await checkCwd(request.cwd);
    const roots = await checkRoots(request.roots);
    const store = await this.#deps.state.store();
    const open = this.#open.get(id);
    const events = open?.eventsSoFar() ?? storedEvents(storedLog(store, id));
    if (!events.some((e) => e.type === "turn.started")) {
      return await this.#begin({ ...request, roots }, events.filter(isChoice)); // nothing else to take along
    }
    const { cwd } = storedPlace(events);
    const fork = randomId("sess");
    const moved: SessionEvent[] = request.cwd === cwd ? [] : [{ type: "session.moved", cwd: request.cwd }];
    const added = [...forkingEvents(events), { type: "session.forked", from: id } as const, ...moved];
    store.copy(id, fork, events.length, added);
    return await this.load(fork, { ...request, roots });
  }

  /**
   * Cancels a session's prompts, waits for their end and frees all it has.
   * @throws AgentError("session-not-found") for an id that no session has, be it open or stored.
   */
  async release(id: string): Promise<void> {
    await this.#loading.get(id)?.catch(() => {});
    const session = this.#open.get(id);
    this.#open.delete(id);
    if (session) return await session.close();
    const known = isSessionId(id) && (await this.#deps.state.store()).summary(id);
    if (!known) notFound(id);
  }

  /**
   * Removes a session for good: its log, its temporary files, its lock. Harmless for an unknown id.
   * @throws AgentError("store") when another process has it open.
   */
  async remove(id: string): Promise<void> {
    await this.#loading.get(id)?.catch(() => {});
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.close();
    if (isSessionId(id)) await this.#deps.state.remove(id);
  }

  /** Closes all sessions, side by side. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#loading.values());
    await Promise.all([...this.#open.values()].map((s) => s.close()));
    this.#open.clear();
  }

  /** A new session that lives in memory alone until its first prompt locks and stores it. */
  async #begin(request: OpenRequest, chosen: readonly SettingsEvent[] = []): Promise<Session> {
    const { state, config } = this.#deps;
    const id = randomId("sess");
    const events = new EventLog(id);
    const { cwd, roots } = request;
    const created = {
      type: "session.created",
      cwd,
      preset: config.preset,
      version: config.agentVersion,
    } as const;
    const begin: SessionEvent[] = [created, ...chosen];
    if (roots.length > 0) begin.push({ type: "roots.set", roots });
    for (const event of begin) events.prepare(event);
    const lock = async () => {
      const store = await state.store();
      const taken = state.lock(id);
      events.attach(store);
      return taken;
    };
    return await this.#install(this.#build(id, { ...request, settings: settingsOf(begin) }, events, lock));
  }

  async #load(id: string, request: OpenRequest): Promise<Session> {
    const { state } = this.#deps;
    const store = await state.store();
    const stored = storedPlace(storedEvents(storedLog(store, id)));
    const cwd = await reconcileCwd(stored.cwd, request.cwd);
    const lock = state.lock(id);
    try {
      const logged = storedLog(store, id); // once more: its last owner may have written until it let go
      return await this.#install(this.#reopen(id, { ...request, cwd }, store, logged, lock));
    } catch (e) {
      lock.release();
      if (e instanceof AgentError) throw e;
      throw new AgentError("store", `The log of session ${id} cannot be used: ${messageOf(e)}`, { cause: e });
    }
  }

  #reopen(
    id: string,
    request: OpenRequest,
    store: SessionStore,
    logged: readonly LoggedEvent[],
    lock: SessionDeps["lock"],
  ): Session {
    const events = new EventLog(id, store, logged);
    const stored = storedEvents(logged);
    const { cwd, roots } = storedPlace(stored);
    for (const event of closingEvents(stored)) events.append(event);
    if (request.cwd !== cwd) {
      this.#deps.log.warn("session moved: its directory is gone", { session: id, cwd: request.cwd });
      events.append({ type: "session.moved", cwd: request.cwd });
    }
    if (JSON.stringify(request.roots) !== JSON.stringify(roots)) {
      events.append({ type: "roots.set", roots: request.roots });
    }
    return this.#build(id, { ...request, settings: settingsOf(stored) }, events, lock);
  }

  #build(
    id: string,
    { cwd, settings, roots, mcpServers }: OpenRequest & { readonly settings: Settings },
    events: EventLog,
    lock: SessionDeps["lock"],
  ): Session {
    const { config, log, tools, openModel, models, front, workbench, rules, state } = this.#deps;
    const { elicits, commandsChanged, secrets } = this.#deps;
    const tempDir = () => state.tempDir(id);
    const mcp: McpServers = new McpServers({
      cwd,
      roots: () => [cwd, ...session.roots],
      client: { name: config.agentName, version: config.agentVersion },
      elicits: elicits(),
      environment: config.environment,
      changed: () => commandsChanged(id),
    });
    const session: Session = new Session({
      ...{
        id,
        cwd,
        roots,
        settings,
        tempDir,
        config,
        log,
        events,
        openModel,
        secrets,
        models,
        rules,
        mcp,
        lock,
      },
      tools: tools.with(() => mcp.tools()),
      mcpServers: this.#servers(mcpServers),
      commands: (roots) => readCommands({ config, cwd, roots, tempDir: tempDir() }, mcp.prompts()),
      front: front(id),
      workbench: workbench({ cwd, tempDir }),
      grants: sessionGrants(config.stateDir, cwd, log),
      editorTrust: this.#editorTrust,
      snapshots: new Snapshots(() => state.snapshots(id)),
      storeNotes: () => state.takeNotes(),
    });
    return session;
  }

  /** The client's servers, and the user's own of other names. */
  #servers(ofClient: readonly McpServerConfig[]): McpServerConfig[] {
    const { config, hide } = this.#deps;
    const own = config.mcpServers.filter(({ name }) => !ofClient.some((server) => server.name === name));
    const servers = [...ofClient, ...own];
    hide(servers.flatMap(secretsIn));
    return servers;
  }

  /** A session that was built while the connection closed must not outlive it. */
  async #install(session: Session): Promise<Session> {
    if (this.#closed) {
      await session.close();
      throw new AgentError("cancelled", "The connection was closed.");
    }
    this.#open.set(session.id, session);
    return session;
  }
}

/** @throws AgentError("session-not-found") */
function storedLog(store: SessionStore, id: string): LoggedEvent[] {
  const logged = isSessionId(id) ? store.read(id) : [];
  return logged.length > 0 ? logged : notFound(id);
}

function isChoice(event: SessionEvent): event is SettingsEvent {
  return event.type === "preset.set" || event.type === "model.set" || event.type === "thought.set";
}

function storedEvents(logged: readonly LoggedEvent[]): SessionEvent[] {
  return logged.map((l) => l.event);
}

function notFound(id: string): never {
  throw new AgentError("session-not-found", `There is no session "${id}".`, { data: { sessionId: id } });
}
