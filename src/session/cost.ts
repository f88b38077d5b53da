import type { ModelPrice } from "../config/config.ts";
import type { ModelUsage } from "../model/model.ts";
import type { SessionEvent } from "./event.ts";

/** Money, in a currency's own unit. */
export interface Cost {
  readonly amount: number;
  /** As the price has it, e.g. `USD`. */
  readonly currency: string;
}

const MILLION = 1_000_000;

/** Digits that are kept of an amount: far below a cent, and free of what floating point adds. */
const DIGITS = 12;

/**
 * What a session has cost so far: a projection of its log, by the prices that were logged with the calls. Calls
 * without a known price count nothing. Currencies are not added: the cost is that of the last priced call's
 * currency. A fork begins at nothing.
 */
export class CostMeter {
  readonly #amounts = new Map<string, number>();
  #currency: string | undefined;
  /** Of the open call, and of the open summary. */
  #price: ModelPrice | undefined;
  #summaryPrice: ModelPrice | undefined;

  /** Takes the next event. */
  add(event: SessionEvent): void {
    switch (event.type) {
      case "model.called":
        this.#price = event.price;
        return;
      case "compaction.started":
        this.#summaryPrice = event.price;
        return;
      case "model.replied":
        return this.#charge(event.usage, this.#price);
      case "compaction.done":
        return this.#charge(event.usage, this.#summaryPrice);
      case "session.forked":
        this.#amounts.clear();
        this.#currency = undefined;
        return;
    }
  }

  /** Undefined as long as no call had a known price. */
  get cost(): Cost | undefined {
    if (this.#currency === undefined) return undefined;
    const amount = this.#amounts.get(this.#currency) ?? 0;
    return { amount: Number(amount.toPrecision(DIGITS)), currency: this.#currency };
  }

  #charge(usage: ModelUsage, price: ModelPrice | undefined): void {
    if (!price || usage.inputTokens === undefined) return;
    this.#currency = price.currency;
    this.#amounts.set(price.currency, (this.#amounts.get(price.currency) ?? 0) + costOf(usage, price));
  }
}

/** What one call costs. Pure. */
function costOf(
  { inputTokens = 0, cachedTokens = 0, outputTokens = 0 }: ModelUsage,
  price: ModelPrice,
): number {
  const fresh = Math.max(0, inputTokens - cachedTokens);
  const cached = price.cachedInput ?? price.input;
  return (fresh * price.input + cachedTokens * cached + outputTokens * price.output) / MILLION;
}
