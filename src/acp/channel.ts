import type { AgentContext } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../session/event.ts";
import type { Answer, EditorFiles, Front, Question } from "../session/ports.ts";
import type { Session } from "../session/session.ts";
import { Presenter } from "../presentation/presenter.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { Drawing } from "../presentation/presenter.ts";
import type { FileMethods } from "./client.ts";
import { clientFiles } from "./client_files.ts";
import type { Outbox } from "./outbox.ts";
import { permissionRequest, readAnswer } from "./permission.ts";

/** What a channel is made of. */
export interface ChannelDeps {
  readonly sessionId: string;
  readonly peer: AgentContext;
  readonly outbox: Outbox;
  readonly tools: ToolRegistry;
  /** What the client could draw when the session was opened. */
  readonly drawing: Drawing;
  /** The file methods that it had then. */
  readonly files: FileMethods;
}

/** One session's line to the client: its events out as updates, its questions out as requests. */
export class Channel implements Front {
  readonly files: EditorFiles | undefined;
  readonly #deps: ChannelDeps;
  #presenter: Presenter | undefined;

  constructor(deps: ChannelDeps) {
    this.#deps = deps;
    this.files = clientFiles(deps.peer, deps.sessionId, deps.files);
  }

  /** Shows all that happens in the session from here on; once. */
  attach(session: Session): void {
    if (this.#presenter) return;
    const presenter = this.#presenter = this.#newPresenter(session, false);
    // What came before is not shown here, but what comes is drawn as its continuation.
    for (const event of session.eventsSoFar()) presenter.present(event);
    session.subscribe((event) => this.#show(presenter, event));
  }

  /** Shows all that has happened so far; resolves when it is written. */
  async replay(session: Session): Promise<void> {
    const presenter = this.#newPresenter(session, true);
    for (const event of session.eventsSoFar()) this.#show(presenter, event);
    await this.flushed();
  }

  /** Resolves when every update so far is written. */
  flushed(): Promise<void> {
    return this.#deps.outbox.flushed(this.#deps.sessionId);
  }

  ready(): Promise<void> {
    return this.#deps.outbox.ready(this.#deps.sessionId);
  }

  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { peer, sessionId } = this.#deps;
    await this.flushed(); // the request refers to a call that the client must have seen
    if (signal.aborted) return "cancelled";
    try {
      const request = permissionRequest(sessionId, question, this.#presenter?.card(question.callId));
      const response: unknown = await peer.request("session/request_permission", request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      return readAnswer(response, question.always !== undefined);
    } catch {
      return signal.aborted ? "cancelled" : "reject"; // a client that cannot ask has not approved
    }
  }

  #newPresenter(session: Session, replay: boolean): Presenter {
    const { drawing, tools } = this.#deps;
    return new Presenter({ drawing, tools, cwd: session.cwd, replay });
  }

  #show(presenter: Presenter, event: SessionEvent): void {
    for (const update of presenter.present(event)) this.#deps.outbox.push(this.#deps.sessionId, update);
  }
}
