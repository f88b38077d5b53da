import type { ModelUsage } from "../model/model.ts";
import type { SessionEvent, StopReason } from "./event.ts";

/** How a turn ended, and the tokens of all its model calls; undefined where no provider told of any. */
export interface TurnEnd {
  readonly stop: StopReason;
  readonly usage: ModelUsage | undefined;
}

/** Adds up the tokens of one turn's model calls, those of its children included. */
export class UsageMeter {
  #total: ModelUsage | undefined;

  /** Takes the next event of the turn. */
  readonly add = (event: SessionEvent): void => {
    if (event.type === "child") return this.add(event.event);
    if (event.type !== "model.replied") return;
    const { inputTokens, outputTokens, reasoningTokens, cachedTokens } = event.usage;
    if (inputTokens === undefined && outputTokens === undefined) return;
    const before = this.#total;
    this.#total = {
      inputTokens: sum(before?.inputTokens, inputTokens),
      outputTokens: sum(before?.outputTokens, outputTokens),
      reasoningTokens: sum(before?.reasoningTokens, reasoningTokens),
      cachedTokens: sum(before?.cachedTokens, cachedTokens),
    };
  };

  /** The sum so far. */
  get total(): ModelUsage | undefined {
    return this.#total;
  }
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}
