import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { elicitResult, formOf, MAX_MESSAGE, wantsSecret } from "./elicit.ts";
import type { IdleLimit } from "./idle.ts";
import type { CallContext } from "./server.ts";
import { plainText } from "./text.ts";

/** A call that runs, whose user can be asked. */
interface Running {
  readonly context: CallContext;
  readonly idle: IdleLimit;
}

/** The protocol's code for "the user has to visit a page first". */
const VISIT_WANTED = -32042;
/** Pages that one failed call may ask to be visited, and visits that are remembered. */
const MAX_PAGES = 3;
const MAX_VISITS = 50;

/**
 * What a server asks of the user. It is put to them only while a call of this server runs, in the name of the call
 * that was made last: outside of one there is no turn that could wait for an answer.
 */
export class Asking {
  readonly #server: string;
  readonly #redact: (text: string) => string;
  readonly #running: Running[] = [];
  /** The server's ids of visits that may still last. */
  readonly #visits = new Map<string, { readonly id: string; readonly user: CallContext["user"] }>();

  constructor(server: string, redact: (text: string) => string) {
    this.#server = server;
    this.#redact = redact;
  }

  /** Does a call run? */
  get isUsed(): boolean {
    return this.#running.length > 0;
  }

  /** Notes that a call runs, until the result is disposed. */
  during(running: Running): Disposable {
    this.#running.push(running);
    return { [Symbol.dispose]: () => void this.#running.splice(this.#running.indexOf(running), 1) };
  }

  /** Never rejects. */
  async elicit(params: ElicitRequestParams): Promise<ElicitResult> {
    const running = this.#running.at(-1);
    if (!running) return { action: "cancel" };
    if (params.mode === "url") {
      return elicitResult(await this.#visit(params.message, params.url, params.elicitationId, running));
    }
    const form = formOf(params);
    if (!form) return this.#refuse(running, "The server's form cannot be shown: it was declined.");
    if (wantsSecret(params.message, form)) {
      return this.#refuse(
        running,
        "The server asks for a secret, which does not belong in a form: it was declined.",
      );
    }
    const { user } = running.context;
    const message = this.#question(params.message);
    return elicitResult(await running.idle.waiting(() => user.elicit({ mode: "form", message, form })));
  }

  /** The visit of this id, as the server calls it, is over. */
  done(serverId: string): void {
    const visit = this.#visits.get(serverId);
    this.#visits.delete(serverId);
    visit?.user.elicitationDone(visit.id);
  }

  /**
   * Where a call failed because the user has to visit pages first: sends them there. Gives what the model is told;
   * undefined for another failure.
   */
  async visitWanted(e: unknown, running: Running): Promise<string | undefined> {
    const { code, data } = (e ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
    if (code !== VISIT_WANTED || !Array.isArray(data?.elicitations)) return undefined;
    const answers: string[] = [];
    for (const { message, url, elicitationId } of data.elicitations.slice(0, MAX_PAGES)) {
      answers.push((await this.#visit(String(message), String(url), String(elicitationId), running)).action);
    }
    return answers.every((action) => action === "accept")
      ? "wants the user to visit a page first. The user was sent there: call again when they say that it is done."
      : "wants the user to visit a page first, and the user did not. Ask them, or go on without this call.";
  }

  async #visit(message: string, url: string, serverId: string, { context: { user }, idle }: Running) {
    if (this.#visits.size >= MAX_VISITS) this.#visits.clear();
    const id = crypto.randomUUID(); // servers choose theirs freely, and may choose the same
    this.#visits.set(serverId, { id, user });
    return await idle.waiting(() => user.elicit({ mode: "url", message: this.#question(message), url, id }));
  }

  #refuse({ context }: Running, why: string): ElicitResult {
    context.emit(why);
    return { action: "decline" };
  }

  #question(message: string): string {
    return `The MCP server ${this.#server} asks: ${plainText(this.#redact(message), MAX_MESSAGE)}`;
  }
}
