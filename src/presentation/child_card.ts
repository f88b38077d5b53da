import { oneLine } from "../errors.ts";
import type { SessionEvent } from "../session/event.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { Place } from "../tool/tool.ts";
import { code } from "../tool/view.ts";

/** Steps of a child that its card lists; earlier ones are counted. */
const LISTED = 20;
/** Characters of one step, and of what the child says. */
const STEP_LENGTH = 100;
const WORDS_LENGTH = 200;
/** Changes that are shown one by one; then each next one waits until they are more by this factor. */
const SINGLE_CHANGES = 16;
const GROWTH = 1.25;
/** Characters of text that count as a change, so that a long answer is seen to be written. */
const NEWS_LENGTH = 500;

/** One call of a child. */
interface Step {
  readonly title: string;
  state: "called" | "started" | "completed" | "failed";
}

const MARKS = { called: "·", started: "…", completed: "✓", failed: "✗" } as const;

/**
 * What a child is doing, in the card of the call that it works for: its calls and the last of what it said. It
 * is a text that is sent whole, at growing steps, because an update replaces what it updates.
 */
export class ChildCard {
  readonly #tools: ToolRegistry;
  readonly #place: Place;
  readonly #steps = new Map<string, Step>();
  /** The end of what the child said last. */
  #words = "";
  #message = "";
  #unseen = 0;
  #changes = 0;
  #sent = 0;

  constructor(tools: ToolRegistry, place: Place) {
    this.#tools = tools;
    this.#place = place;
  }

  /** Takes the child's next event; true when it is time to send the card again. */
  push(event: SessionEvent): boolean {
    return this.#take(event) && this.#isDue();
  }

  /** The child's progress as Markdown. */
  text(): string {
    const steps = [...this.#steps.values()];
    const earlier = steps.length - LISTED;
    const lines = steps.slice(-LISTED).map(({ title, state }) => `- ${MARKS[state]} ${title}`);
    const list = [...earlier > 0 ? [`- ${earlier} earlier steps`] : [], ...lines].join("\n");
    const words = oneLine(this.#words, WORDS_LENGTH);
    return [list, words && `> ${words}`].filter((t) => t !== "").join("\n\n");
  }

  /** Is it a change that a person would want to see? */
  #take(event: SessionEvent): boolean {
    switch (event.type) {
      case "tool.called":
        this.#steps.set(event.callId, { title: this.#titleOf(event), state: "called" });
        return false; // it is started next, or ends
      case "tool.started":
        return this.#mark(event.callId, "started");
      case "tool.ended":
        return this.#mark(event.callId, event.status);
      case "text":
        return this.#say(event.messageId, event.text);
      case "notice":
        this.#say(event.messageId, event.text);
        return true;
      default:
        return false;
    }
  }

  #mark(callId: string, state: Step["state"]): boolean {
    const step = this.#steps.get(callId);
    if (step) step.state = state;
    return step !== undefined;
  }

  #say(messageId: string, text: string): boolean {
    const before = messageId === this.#message ? this.#words : "";
    this.#message = messageId;
    this.#words = (before + text).slice(-WORDS_LENGTH);
    this.#unseen += text.length;
    if (this.#unseen < NEWS_LENGTH) return false;
    this.#unseen = 0;
    return true;
  }

  #isDue(): boolean {
    this.#changes++;
    if (this.#changes > SINGLE_CHANGES && this.#changes < this.#sent * GROWTH) return false;
    this.#sent = this.#changes;
    return true;
  }

  #titleOf({ name, args }: Extract<SessionEvent, { type: "tool.called" }>): string {
    const { kind, title } = this.#tools.presentCall(name, args, this.#place);
    const line = oneLine(title, STEP_LENGTH);
    return kind === "execute" ? code(line) : line;
  }
}
