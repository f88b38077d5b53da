import { CHARS_PER_TOKEN } from "./compaction/compaction_plan.ts";
import type { SessionEvent } from "./event.ts";
import { charsWithImages } from "./compaction/group.ts";
import { messageOfPrompt } from "./prompt/prompt_text.ts";

/** How full the model's window is: a projection of the log. */
export class ContextMeter {
  /** What the provider counted for the last reply and all before it. */
  #counted: number | undefined;
  /** Characters that came since, less those that were pruned. */
  #since = 0;

  /** Takes the next event. */
  add(event: SessionEvent): void {
    switch (event.type) {
      case "model.replied": {
        const { inputTokens, outputTokens } = event.usage;
        this.#counted = inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
        this.#since = 0;
        return;
      }
      case "turn.started":
      case "steered": {
        const message = messageOfPrompt(event);
        if (message) this.#since += charsWithImages(message);
        return;
      }
      case "told":
        this.#since += event.text.length;
        return;
      case "tool.ended":
        this.#since += charsWithImages(event);
        return;
      case "compaction.pruned":
        this.#since -= event.saved;
        return;
      case "compaction.done":
        this.#counted = undefined; // nobody has counted this history yet
        return;
    }
  }

  /** Tokens of the next request; undefined where only an estimate of the whole can tell. */
  get tokens(): number | undefined {
    return this.#counted === undefined ? undefined : this.#counted + Math.ceil(this.#since / CHARS_PER_TOKEN);
  }
}
