import { assert, assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Update } from "../support/wire.ts";

type Option = { id: string; category: string; currentValue: string; options: unknown[] };

function optionIn(holder: object | null | undefined, id: string): Option | undefined {
  return ((holder as { configOptions?: Option[] } | null)?.configOptions ?? []).find((o) => o.id === id);
}

onStage("the model and thought level options", {}, async (stage, t) => {
  const { agent, model } = stage;
  const opened = await agent.request("session/new", { cwd: stage.workspace, mcpServers: [] });
  const sessionId = String(opened.result?.sessionId);
  const set = (configId: string, value: string) =>
    agent.request("session/set_config_option", { sessionId, configId, value });
  const prompt = (text: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

  await t.step("show the configured model among its provider's, and the provider's own thought level", () => {
    const option = optionIn(opened.result, "model");
    assertEquals([option?.category, option?.currentValue], ["model", "deepseek/deepseek-flash"]);
    assertEquals((option?.options as { group: string }[]).map((g) => g.group), ["deepseek", "demo"]);
    assertEquals(optionIn(opened.result, "thought_level")?.currentValue, "default");
  });

  await t.step("send no level by default", async () => {
    await prompt(script(["text", "a"]));
    const body = model.lastCall.body;
    assertEquals([body.model, body.reasoning_effort, body.thinking], [
      "deepseek-flash",
      undefined,
      undefined,
    ]);
  });

  await t.step("send what was chosen from the next call on", async () => {
    assertEquals(
      optionIn((await set("model", "deepseek/deepseek-v4-pro")).result, "model")?.currentValue,
      "deepseek/deepseek-v4-pro",
    );
    await set("thought_level", "max");
    await prompt(script(["text", "b"]));
    const body = model.lastCall.body;
    assertEquals([body.model, body.reasoning_effort, body.thinking], ["deepseek-v4-pro", "max", {
      type: "enabled",
    }]);
    await set("thought_level", "off");
    await prompt(script(["text", "c"]));
    assertEquals(model.lastCall.body.thinking, { type: "disabled" });
  });

  await t.step("take any id, and show it chosen; a model that does not think has no level", async () => {
    const any = await set("model", "deepseek/some-new-model");
    assertEquals(optionIn(any.result, "model")?.currentValue, "deepseek/some-new-model");
    assert(JSON.stringify(optionIn(any.result, "model")?.options).includes("some-new-model"));
    assertEquals(optionIn((await set("model", "demo/demo")).result, "thought_level"), undefined);
    assertEquals((await set("thought_level", "max")).error?.code, -32602);
    assertEquals((await set("model", "nonsense")).error?.code, -32602);
    await set("model", "deepseek/deepseek-v4-pro");
  });

  await t.step("tell how full the window is", () => {
    const usage = agent.updatesOf(sessionId).filter((u) => u.sessionUpdate === "usage_update") as (Update & {
      used: number;
      size: number;
    })[];
    assert(usage.length >= 3);
    assert(usage.every((u) => u.used > 0 && u.size === 1_000_000));
  });

  await t.step("are kept by session/load", async () => {
    await agent.kill("SIGKILL");
    await using other = await stage.start();
    const loaded = await other.request("session/load", { sessionId, cwd: stage.workspace, mcpServers: [] });
    assertEquals(optionIn(loaded.result, "model")?.currentValue, "deepseek/deepseek-v4-pro");
    assertEquals(optionIn(loaded.result, "thought_level")?.currentValue, "off");
  });
});
