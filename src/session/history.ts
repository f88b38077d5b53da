import type { ModelCall, ModelImage, ModelMessage } from "../model/model.ts";
import { reportForModel } from "../tool/job/job_text.ts";
import { compacted, estimateTokens } from "./compaction/compaction_plan.ts";
import { summaryGroup } from "./compaction/compaction_text.ts";
import { ContextMeter } from "./context_meter.ts";
import type { SessionEvent } from "./event.ts";
import { type Group, pruned } from "./compaction/group.ts";
import { messageOfPrompt, type UserMessage } from "./prompt/prompt_text.ts";

/** An assistant's reply while it is being put together. */
interface Reply {
  text: string;
  reasoning: string | undefined;
  calls: ModelCall[];
}

/** What the model is told of a call's end. */
interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly ModelImage[];
}

/** The system prompt and what it was written for. */
export type SystemPrompt = Pick<
  Extract<SessionEvent, { type: "system.set" }>,
  "text" | "date" | "told"
>;

/**
 * The model's view of a session: a projection of its log, fed event by event.
 *
 * Invariant of `messages()`: every call of an assistant message is followed by its result before anything
 * else is said, whatever the log looks like; a provider refuses a history with an orphan call.
 *
 * What is pruned or summarised is gone from this view only: the log, and all that is shown of it, keeps it.
 */
export class History {
  #groups: Group[] = [];
  readonly #meter = new ContextMeter();
  #system: SystemPrompt | undefined;
  /** The last prompt, while reports may still be put in front of it. */
  #prompt: UserMessage | undefined;
  /** What is to stand in front of the prompt: jobs that have ended. */
  #reports: string[] = [];
  #reply: Reply | undefined;
  /** Results of the open reply's calls, by call id. */
  #results = new Map<string, Result>();

  /** Takes the next event. */
  add(event: SessionEvent): void {
    this.#meter.add(event);
    switch (event.type) {
      case "system.set":
        this.#system = event;
        return;
      case "session.forked":
        this.#system = undefined; // it speaks of the other session's temporary directory
        return;
      case "turn.started":
      case "steered":
        this.#close();
        this.#prompt = messageOfPrompt(event);
        return;
      case "told":
        this.#reports.push(event.text);
        return;
      case "job.ended":
        if (!event.inResult) this.#reports.push(reportForModel(event));
        return;
      case "model.called":
        this.#close();
        this.#reply = { text: "", reasoning: undefined, calls: [] };
        return;
      case "text":
        if (this.#reply) this.#reply.text += event.text;
        return;
      case "thought":
        if (this.#reply) this.#reply.reasoning = (this.#reply.reasoning ?? "") + event.text;
        return;
      case "tool.called":
        this.#reply?.calls.push({ id: event.callId, name: event.name, args: event.args });
        return;
      case "tool.ended":
        this.#results.set(event.callId, {
          text: event.text,
          isError: event.status === "failed",
          ...(event.images ? { images: event.images } : {}),
        });
        return;
      case "compaction.pruned": {
        this.#close();
        const callIds = new Set(event.callIds);
        this.#groups = this.#groups.map((group) => pruned(group, callIds));
        return;
      }
      case "compaction.done":
        this.#close();
        this.#groups = compacted(this.#groups, event.keep, summaryGroup(event.summary));
        return;
      case "answered":
      case "compaction.started":
      case "compaction.text":
      case "compaction.failed":
      case "session.created":
      case "session.moved":
      case "roots.set":
      case "title.set":
      case "preset.set":
      case "model.set":
      case "thought.set":
      case "model.replied":
      case "model.failed":
      case "tool.drafted":
      case "tool.started":
      case "tool.output":
      case "file.changed":
      case "undo.started":
      case "undo.done":
      case "plan.set":
      case "child": // the parent reads of its work in the call's result alone
      case "job.started":
      case "notice":
      case "turn.ended":
        return;
    }
  }

  /** The system prompt as logged last; undefined before the first turn. */
  get system(): SystemPrompt | undefined {
    return this.#system;
  }

  /** The conversation so far, ready to be sent. */
  messages(): ModelMessage[] {
    return this.groups().flatMap((group) => group.messages);
  }

  /** The same, by what stays or goes together. */
  groups(): readonly Group[] {
    this.#close();
    return this.#groups;
  }

  /** Tokens that the conversation takes: as the provider counted them, else an estimate. */
  tokens(): number {
    return this.#meter.tokens ?? estimateTokens(this.groups(), this.#system?.text ?? "");
  }

  /** Puts the open prompt, or the open reply and the results of its calls, behind the conversation. */
  #close(): void {
    if (this.#prompt !== undefined) {
      const reports = this.#reports.length > 0 ? `${this.#reports.join("\n")}\n\n` : "";
      this.#groups.push({ kind: "prompt", messages: [behind(reports, this.#prompt)] });
      [this.#prompt, this.#reports] = [undefined, []];
    }
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply && (reply.text !== "" || reply.calls.length > 0)) {
      const said = {
        role: "assistant",
        text: reply.text,
        reasoning: reply.reasoning,
        calls: reply.calls,
      } as const;
      const results = reply.calls.map((call): ModelMessage => {
        const result = this.#results.get(call.id) ??
          { text: "The outcome is unknown: verify before retrying.", isError: true };
        return { role: "tool", callId: call.id, name: call.name, ...result };
      });
      this.#groups.push({ kind: "reply", messages: [said, ...results] });
    }
    this.#results.clear();
  }
}

/** The message with a text put in front of it. */
function behind(front: string, message: UserMessage): UserMessage {
  const images = message.images?.map((image) => ({ ...image, at: image.at + front.length }));
  return { role: "user", text: front + message.text, ...(images ? { images } : {}) };
}
