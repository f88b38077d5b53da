import { AssertionError } from "@std/assert";
import type { AgentProcess } from "./agent.ts";
import type { Fields, Message, Update } from "./wire.ts";
import { updateIn } from "./wire.ts";

/** What a prompt may be given as: text, or content blocks as they go over the wire. */
export type Prompt = string | readonly Fields[];

/** A turn that is over: the answer to its prompt, and all updates of its session up to it. */
export interface Turn {
  readonly answer: Message;
  readonly updates: readonly Update[];
  /** Why it stopped; undefined where the prompt failed. */
  readonly stopReason: unknown;
}

/** A prompt that was sent and is not answered yet. */
export class PendingTurn {
  constructor(
    readonly session: Session,
    readonly requestId: number,
    readonly from: number,
  ) {}

  /** The updates so far. */
  get updates(): Update[] {
    return this.session.agent.updatesOf(this.session.id, this.from);
  }

  /** Waits for an update of this session. */
  async until(predicate: (update: Update) => boolean, what = "an update"): Promise<Update> {
    const { agent, id } = this.session;
    const matches = (message: Message) => {
      const update = updateIn(message, id);
      return update !== undefined && predicate(update);
    };
    const frame = await agent.until(matches, { from: this.from, what });
    return updateIn(frame.message)!;
  }

  /** Waits for the answer. */
  async end(): Promise<Turn> {
    const { agent, id } = this.session;
    const isAnswer = (m: Message) => m.method === undefined && m.id === this.requestId;
    const frame = await agent.until(isAnswer, { from: this.from, what: "the answer to the prompt" });
    return {
      answer: frame.message,
      updates: agent.updatesOf(id, this.from, frame.index),
      stopReason: frame.message.result?.stopReason,
    };
  }
}

/** A session of an agent, from the client's side. */
export class Session {
  constructor(readonly agent: AgentProcess, readonly id: string, readonly cwd: string) {}

  /** The message that prompts this session, for tests that write several in one piece. */
  promptMessage(prompt: Prompt, id: number = this.agent.newId()): Message & { readonly id: number } {
    return { id, method: "session/prompt", params: { sessionId: this.id, prompt: blocksOf(prompt) } };
  }

  /** The message that cancels this session's turn. */
  cancelMessage(): Message {
    return { method: "session/cancel", params: { sessionId: this.id } };
  }

  /** Sends a prompt and does not wait. */
  async begin(prompt: Prompt): Promise<PendingTurn> {
    const message = this.promptMessage(prompt);
    const from = this.agent.frames.length;
    await this.agent.write(message);
    return new PendingTurn(this, message.id, from);
  }

  /** Sends a prompt and waits for its answer, be it a result or an error. */
  async prompt(prompt: Prompt): Promise<Turn> {
    return await (await this.begin(prompt)).end();
  }

  /** Like {@linkcode prompt}, for turns that must end well. */
  async run(prompt: Prompt): Promise<Turn> {
    const turn = await this.prompt(prompt);
    if (turn.stopReason === "end_turn") return turn;
    throw new AssertionError(`the turn ended with ${JSON.stringify(turn.answer)}`);
  }

  async cancel(): Promise<void> {
    await this.agent.write(this.cancelMessage());
  }
}

function blocksOf(prompt: Prompt): readonly Fields[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
}
