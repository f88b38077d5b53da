import { assertEquals } from "@std/assert";
import type { ModelPrice } from "../../src/config/config.ts";
import type { ModelUsage } from "../../src/model/model.ts";
import { CostMeter } from "../../src/session/cost.ts";
import type { SessionEvent } from "../../src/session/event.ts";

const PRICE: ModelPrice = { input: 1, output: 10, cachedInput: 0.1, currency: "USD" };
const MILLION = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

const call = (usage: ModelUsage, price?: ModelPrice): SessionEvent[] => [
  { type: "model.called", model: "a/b", price },
  { type: "model.replied", finish: "stop", usage },
];
const costOf = (...events: SessionEvent[]) => {
  const meter = new CostMeter();
  for (const event of events) meter.add(event);
  return meter.cost;
};

Deno.test("the cost is that of all calls by the price that was logged with each", () => {
  assertEquals(costOf(...call(MILLION, PRICE)), { amount: 11, currency: "USD" });
  const dearer = { ...PRICE, input: 2 };
  assertEquals(costOf(...call(MILLION, PRICE), ...call(MILLION, dearer))?.amount, 23);
  assertEquals(costOf(...call({ inputTokens: 1, outputTokens: 2 }, { ...PRICE, input: 0.1, output: 0.1 })), {
    amount: 0.0000003,
    currency: "USD",
  });
});

Deno.test("cached input costs its own price, else that of other input", () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 0 };
  assertEquals(costOf(...call(usage, PRICE))?.amount, 0.64);
  assertEquals(costOf(...call(usage, { input: 1, output: 10, currency: "USD" }))?.amount, 1);
});

Deno.test("there is no cost without a price or without figures", () => {
  assertEquals(costOf(...call(MILLION)), undefined);
  assertEquals(costOf(...call({}, PRICE)), undefined);
  assertEquals(costOf(...call(MILLION, PRICE), ...call(MILLION))?.amount, 11);
});

Deno.test("summaries cost too, by the price of their own model", () => {
  const summary: SessionEvent[] = [
    {
      ...{ type: "compaction.started", compaction: "k", model: "a/c", system: "s", keep: 1, max: null },
      price: { ...PRICE, output: 0 },
    },
    { type: "compaction.done", compaction: "k", keep: 1, summary: "S", usage: MILLION },
  ];
  assertEquals(costOf(...call(MILLION, PRICE), ...summary, ...call(MILLION, PRICE))?.amount, 23);
});

Deno.test("currencies are not added, and a fork begins at nothing", () => {
  const euro = { ...PRICE, currency: "EUR" };
  assertEquals(costOf(...call(MILLION, PRICE), ...call(MILLION, euro)), { amount: 11, currency: "EUR" });
  const back = costOf(...call(MILLION, PRICE), ...call(MILLION, euro), ...call(MILLION, PRICE));
  assertEquals(back, { amount: 22, currency: "USD" });
  const forked: SessionEvent = { type: "session.forked", from: "s" };
  assertEquals(costOf(...call(MILLION, PRICE), forked), undefined);
  assertEquals(costOf(...call(MILLION, PRICE), forked, ...call(MILLION, PRICE))?.amount, 11);
});
