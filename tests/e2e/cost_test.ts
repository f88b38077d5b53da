import { assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";

/** The scripted model says of every reply: 100 tokens in, 60 of them cached, 20 out. */
const PRICE = `{ "input": 2, "output": 50, "cachedInput": 0.5, "currency": "EUR" }`;
const ONE_CALL = (40 * 2 + 60 * 0.5 + 20 * 50) / 1_000_000;

const meters = (stage: Stage, id: string) =>
  stage.agent.updatesOf(id).filter((u) => u.sessionUpdate === "usage_update");

const start = (stage: Stage, env: Record<string, string> = {}) =>
  stage.start({ env: { DSH_CONFIG: stage.path("config.jsonc"), ...env } });

onEmptyStage("the cost adds up, the same after a load, and only where the price is told", {
  files: {
    "config.jsonc": `{ "models": {
      "deepseek/told": { "window": 5000, "price": ${PRICE} },
      "untold": { "window": 6000 },
    } }`,
  },
}, async (stage) => {
  await start(stage, { DSH_MODEL: "deepseek/told" });
  const session = await stage.session();
  await session.run(script(["bash", "true"], ["text", "one"]));
  await session.run("two");
  const live = meters(stage, session.id);
  assertEquals(live.map((u) => u.size), [5000, 5000, 5000]);
  assertEquals(
    live.map((u) => u.cost),
    [1, 2, 3].map((n) => ({ amount: Number((n * ONE_CALL).toPrecision(12)), currency: "EUR" })),
  );

  await stage.stop();
  await start(stage, { DSH_MODEL: "deepseek/untold" });
  const loaded = await stage.load(session.id);
  assertEquals(meters(stage, session.id), live, "by the price of then, whatever is configured now");
  await loaded.run("three");
  assertEquals(meters(stage, session.id).at(-1), {
    ...live.at(-1)!,
    size: 6000,
  }, "a call of unknown price adds nothing");
  const fresh = await stage.session();
  await fresh.run("hello");
  assertEquals(meters(stage, fresh.id).map((u) => [u.size, u.cost]), [[6000, undefined]]);
});
