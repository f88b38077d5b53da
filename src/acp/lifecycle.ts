import type {
  CloseSessionRequest,
  CloseSessionResponse,
  DeleteSessionRequest,
  DeleteSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type { Session } from "../session/session.ts";
import type { OpenRequest, Sessions } from "../session/sessions.ts";
import type { StateDir } from "../session/store/state_dir.ts";
import type { Channel } from "./channel.ts";
import { type ForkParams, forkParams } from "./fork_params.ts";
import { mcpServersOf } from "./mcp_params.ts";
import { sessionList } from "./session_list.ts";

/** What a client is told of a session that was opened. */
export interface OpenedSession {
  readonly configOptions: SessionConfigOption[];
  readonly modes: SessionModeState;
}

/** What the methods that open and end sessions work with. */
export interface LifecycleDeps {
  readonly sessions: Sessions;
  readonly state: StateDir;
  /** The session's line to the client, made on first use. */
  readonly channel: (sessionId: string) => Channel;
  /** Drops that line and whatever else is kept of the session here. */
  readonly forget: (sessionId: string) => void;
  readonly opened: (session: Session) => OpenedSession;
}

/** The methods that open, end and list sessions. Each request waits for its turn before it comes here. */
export class Lifecycle {
  readonly #deps: LifecycleDeps;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  async newSession(params: NewSessionRequest): Promise<NewSessionResponse> {
    const session = await this.#deps.sessions.create(openRequest(params));
    return { sessionId: session.id, ...this.#attach(session) };
  }

  /** Settles when the whole conversation has been shown. */
  async loadSession(params: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#deps.sessions.load(params.sessionId, openRequest(params));
    const replayed = this.#deps.channel(session.id).replay(session);
    this.#attach(session); // in the same breath: nothing happens between the replay and what follows
    await replayed;
    return this.#deps.opened(session);
  }

  /** Like a load, for a client that still has the conversation: nothing of it is shown again. */
  async resumeSession(params: ResumeSessionRequest): Promise<ResumeSessionResponse> {
    return this.#attach(await this.#deps.sessions.load(params.sessionId, openRequest(params)));
  }

  /** A new session that begins where another one stands; shows nothing of it. */
  async forkSession(params: unknown): Promise<{ sessionId: string } & OpenedSession> {
    const request = forkParams(params);
    const session = await this.#deps.sessions.fork(request.sessionId, openRequest(request));
    return { sessionId: session.id, ...this.#attach(session) };
  }

  /** Settles when the session's last update is written and all that it had is freed. */
  async closeSession({ sessionId }: CloseSessionRequest): Promise<CloseSessionResponse> {
    await this.#deps.sessions.release(sessionId);
    await this.#letGo(sessionId);
    return {};
  }

  async deleteSession({ sessionId }: DeleteSessionRequest): Promise<DeleteSessionResponse> {
    await this.#deps.sessions.remove(sessionId);
    await this.#letGo(sessionId);
    return {};
  }

  async listSessions(params: ListSessionsRequest): Promise<ListSessionsResponse> {
    return await sessionList(await this.#deps.state.store(), params);
  }

  /** Shows all that happens in the session from here on. */
  #attach(session: Session): OpenedSession {
    this.#deps.channel(session.id).attach(session);
    return this.#deps.opened(session);
  }

  async #letGo(sessionId: string): Promise<void> {
    await this.#deps.channel(sessionId).flushed();
    this.#deps.forget(sessionId);
  }
}

type OpenParams = NewSessionRequest | LoadSessionRequest | ResumeSessionRequest | ForkParams;

function openRequest(params: OpenParams): OpenRequest {
  return {
    cwd: params.cwd,
    roots: params.additionalDirectories ?? [],
    mcpServers: mcpServersOf(params.mcpServers),
  };
}
