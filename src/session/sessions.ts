import type { Config } from "../config/config.ts";
import { AgentError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Rules } from "../permission/rules.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import { checkCwd, reconcileCwd } from "./cwd.ts";
import { EventLog } from "./event_log.ts";
import type { SessionEvent } from "./event.ts";
import { isSessionId, randomId } from "./ids.ts";
import { lockSession } from "./lock.ts";
import { sessionGrants } from "./grant_book.ts";
import { closingEvents } from "./log_recovery.ts";
import type { Front, OpenModel, Workbench } from "./ports.ts";
import { Session, type SessionDeps } from "./session.ts";
import { type Settings, settingsOf } from "./settings.ts";
import type { SessionStore } from "./store.ts";
import { tempDirOf } from "./temp_dirs.ts";

/** What all sessions of a connection share. */
export interface SessionsDeps {
  readonly config: Config;
  readonly log: Log;
  readonly tools: ToolRegistry;
  readonly openModel: OpenModel;
  /** The user's own, from the configuration. */
  readonly rules: Rules;
  /** Opened on first use: a connection that only looks around touches no disk. */
  readonly store: () => Promise<SessionStore>;
  readonly front: (sessionId: string) => Front;
  readonly workbench: (place: { cwd: string; tempDir: string }) => Workbench;
}

/** How a client opens a session. */
export interface OpenRequest {
  readonly cwd: string;
  readonly mcpServers: readonly string[];
}

/** The open sessions of one connection, by id. */
export class Sessions {
  readonly #deps: SessionsDeps;
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

  /** Opens a new session. @throws AgentError("invalid-params") for an unusable cwd. */
  async create(request: OpenRequest): Promise<Session> {
    await checkCwd(request.cwd);
    const { config } = this.#deps;
    const id = randomId("sess");
    const events = new EventLog(id);
    events.prepare({
      type: "session.created",
      cwd: request.cwd,
      preset: config.preset,
      version: config.agentVersion,
    });
    const settings: Settings = { preset: config.preset, model: undefined, thought: undefined };
    // Locked and stored by the first prompt: until then the session lives in memory alone.
    const lock = async () => {
      const store = await this.#deps.store();
      const taken = lockSession(config.stateDir, id);
      events.attach(store);
      return taken;
    };
    return this.#install(this.#build(id, { ...request, settings }, events, lock));
  }

  /**
   * Opens a stored session, or gives the open one.
   * @throws AgentError("session-not-found"), ("invalid-params") for a cwd that is not the session's, ("store").
   */
  async load(id: string, request: OpenRequest): Promise<Session> {
    const open = this.#open.get(id);
    if (open) {
      await reconcileCwd(open.cwd, request.cwd);
      return open;
    }
    const loading = this.#loading.get(id) ?? this.#load(id, request).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return await loading;
  }

  /** Closes all sessions, side by side. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#loading.values());
    await Promise.all([...this.#open.values()].map((s) => s.close()));
    this.#open.clear();
  }

  async #load(id: string, request: OpenRequest): Promise<Session> {
    if (!isSessionId(id)) notFound(id);
    const store = await this.#deps.store();
    const stored = store.read(id);
    if (stored.length === 0) notFound(id);
    const cwd = await reconcileCwd(storedCwd(stored.map((l) => l.event)), request.cwd);

    const lock = lockSession(this.#deps.config.stateDir, id);
    try {
      const logged = store.read(id); // once more: its last owner may have written until it let go
      const events = new EventLog(id, store, logged);
      for (const event of closingEvents(logged.map((l) => l.event))) events.append(event);
      if (cwd !== storedCwd(logged.map((l) => l.event))) {
        this.#deps.log.warn("session moved: its directory is gone", { session: id, cwd });
        events.append({ type: "session.moved", cwd });
      }
      return await this.#install(
        this.#build(id, { ...request, cwd, settings: settingsOf(logged.map((l) => l.event)) }, events, lock),
      );
    } catch (e) {
      lock.release();
      throw e;
    }
  }

  #build(
    id: string,
    { cwd, settings, mcpServers }: OpenRequest & { settings: Settings },
    events: EventLog,
    lock: SessionDeps["lock"],
  ): Session {
    const { config, log, tools, openModel, front, workbench, rules } = this.#deps;
    const tempDir = tempDirOf(config.stateDir, id);
    return new Session({
      id,
      cwd,
      tempDir,
      config,
      log,
      events,
      tools,
      openModel,
      front: front(id),
      workbench: workbench({ cwd, tempDir }),
      grants: sessionGrants(config.stateDir, cwd, log),
      rules,
      mcpServers,
      settings,
      lock,
    });
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

/** Where a log says that the session works; empty when it does not say. */
function storedCwd(events: readonly SessionEvent[]): string {
  return events.reduce(
    (cwd, e) => e.type === "session.created" || e.type === "session.moved" ? e.cwd : cwd,
    "",
  );
}

function notFound(id: string): never {
  throw new AgentError("session-not-found", `There is no session "${id}".`, { data: { sessionId: id } });
}
