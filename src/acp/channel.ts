import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Answer, EditorFiles, Front, Question } from "../session/ports.ts";
import type { Session } from "../session/session.ts";
import { Presenter } from "../presentation/presenter.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { Choice, Chosen, Elicitation, Elicited, NoAnswer } from "../tool/user.ts";
import type { Drawing } from "../presentation/presenter.ts";
import type { FileMethods } from "./client.ts";
import { clientFiles } from "./client_files.ts";
import type { Outbox } from "./outbox.ts";
import { choiceRequest, readChosen } from "./choice.ts";
import { elicitationRequest, type Elicits, readElicited } from "./elicitation.ts";
import { permissionRequest, readAnswer } from "./permission.ts";

/** What a channel is made of. */
export interface ChannelDeps {
  readonly sessionId: string;
  readonly peer: AgentContext;
  readonly outbox: Outbox;
  readonly tools: ToolRegistry;
  /** What the client could draw when the session was opened. */
  readonly drawing: Drawing;
  /** How the client could ask the user then. */
  readonly elicits: Elicits;
  /** The file methods that it had then. */
  readonly files: FileMethods;
}

/** What the client answered to a request. */
type Reply = { readonly result: unknown } | { readonly error: unknown };

/** One session's line to the client: its events out as updates, its questions out as requests. */
export class Channel implements Front {
  readonly files: EditorFiles | undefined;
  readonly #deps: ChannelDeps;
  #presenter: Presenter | undefined;
  /** Pages that the user was sent to and may still be at. */
  readonly #visits = new Set<string>();
  /** Calls on whose cards a question is open: an update would hide it in some clients. */
  readonly #asking = new Set<string>();

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
    session.subscribe((event) => this.#push(presenter.present(event).filter((u) => !this.#hidesQuestion(u))));
  }

  /** Shows all that has happened so far; resolves when it is written. */
  async replay(session: Session): Promise<void> {
    const presenter = this.#newPresenter(session, true);
    for (const event of session.eventsSoFar()) this.#push(presenter.present(event));
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
    this.#asking.add(question.callId);
    const answer = await this.#answer(question, signal);
    this.#asking.delete(question.callId);
    this.#push(this.#presenter?.progress(question.callId) ?? []);
    return answer;
  }

  async #answer(question: Question, signal: AbortSignal): Promise<Answer> {
    const request = () =>
      permissionRequest(this.#deps.sessionId, question, this.#presenter?.card(question.callId));
    const reply = await this.#request("session/request_permission", request, signal);
    if (reply === undefined) return "cancelled";
    // A client that cannot ask has not approved.
    return "error" in reply ? "reject" : readAnswer(reply.result, question.always !== undefined);
  }

  async elicit(
    elicitation: Elicitation & { readonly callId?: string },
    signal: AbortSignal,
  ): Promise<Elicited> {
    const request = elicitationRequest(this.#deps.sessionId, elicitation, this.#deps.elicits);
    if (!request) return { action: "unsupported" };
    const visit = elicitation.mode === "url" ? elicitation.id : undefined;
    if (visit !== undefined) this.#visits.add(visit); // it may be over before the client's answer is here
    const reply = await this.#request("elicitation/create", () => request, signal);
    const elicited = answerIn(reply, (result) => readElicited(elicitation, result));
    if (visit !== undefined && elicited.action !== "accept") this.#visits.delete(visit);
    return elicited;
  }

  elicitationDone(elicitationId: string): void {
    if (!this.#visits.delete(elicitationId)) return;
    // A client that is gone need not be told.
    void this.#deps.peer.notify("elicitation/complete", { elicitationId }).catch(() => {});
  }

  async choose(choice: Choice & { readonly callId: string }, signal: AbortSignal): Promise<Chosen> {
    const request = () => choiceRequest(this.#deps.sessionId, choice, this.#presenter?.card(choice.callId));
    if (!request()) return { action: "unsupported" };
    const reply = await this.#request("session/request_permission", request, signal);
    return answerIn(reply, (result) => readChosen(choice, result));
  }

  /** Asks the client, behind all updates so far; undefined once `signal` is aborted. Never rejects. */
  async #request(method: string, params: () => unknown, signal: AbortSignal): Promise<Reply | undefined> {
    await this.flushed(); // the request refers to a call that the client must have seen
    if (signal.aborted) return undefined;
    try {
      const result: unknown = await this.#deps.peer.request(method, params(), {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      return { result };
    } catch (error) {
      return signal.aborted ? undefined : { error };
    }
  }

  #newPresenter(session: Session, replay: boolean): Presenter {
    const { drawing, tools } = this.#deps;
    return new Presenter({ drawing, tools, cwd: session.cwd, replay });
  }

  #push(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#deps.outbox.push(this.#deps.sessionId, update);
  }

  /** Only the card of a child goes on while it asks; what it has come to follows the answer. */
  #hidesQuestion(update: SessionUpdate): boolean {
    return update.sessionUpdate === "tool_call_update" && update.status === "in_progress" &&
      this.#asking.has(update.toolCallId);
  }
}

/** JSON-RPC: the client does not know the method, whatever it declared. */
const METHOD_NOT_FOUND = -32601;

/** What a reply comes to: its result as `read` reads it, else why there is no answer. */
function answerIn<Read>(
  reply: Reply | undefined,
  read: (result: unknown) => Read,
): Read | { readonly action: NoAnswer } {
  if (reply === undefined) return { action: "cancel" };
  if (!("error" in reply)) return read(reply.result);
  const code = (reply.error as { code?: unknown } | null)?.code;
  return { action: code === METHOD_NOT_FOUND ? "unsupported" : "failed" };
}
