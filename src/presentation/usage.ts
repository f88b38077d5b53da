import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { CostMeter } from "../session/cost.ts";
import type { SessionEvent } from "../session/event.ts";

/** How full the model's window is, and what the session has cost: a projection of the log. */
export class UsageDisplay {
  readonly #cost = new CostMeter();
  /** Tokens of context of the model that is being called, where it is known. */
  #window: number | undefined;

  /** The update after an event, where it changes the figures; nothing where the window or they are not known. */
  present(event: SessionEvent): SessionUpdate[] {
    this.#cost.add(event);
    switch (event.type) {
      case "model.called":
        this.#window = event.window;
        return [];
      case "model.replied": {
        const { inputTokens, outputTokens } = event.usage;
        return inputTokens === undefined ? [] : this.#update(inputTokens + (outputTokens ?? 0), this.#window);
      }
      case "compaction.pruned":
      case "compaction.done":
        return event.context ? this.#update(event.context.tokens, event.context.window) : [];
      default:
        return [];
    }
  }

  #update(used: number, size: number | undefined): SessionUpdate[] {
    if (size === undefined) return [];
    const { cost } = this.#cost;
    return [{ sessionUpdate: "usage_update", used, size, ...(cost ? { cost } : {}) }];
  }
}
