import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { contentText, script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { cardsOf, onlyCard, terminalText } from "../support/updates.ts";

onStage("the model is asked", { files: { "AGENTS.md": "Always say please-4711." } }, async (stage, t) => {
  const session = await stage.session();

  await t.step("with its place and the workspace's AGENTS.md", async () => {
    await session.run("hello");
    const told = stage.model.lastCall.messages.filter((m) => m.role !== "user").map((m) =>
      contentText(m.content)
    );
    assertHas(told.join("\n"), stage.workspace);
    assertHas(stage.model.lastCall.text, "please-4711");
  });

  await t.step("with its own reasoning sent back on turns with tool calls, and no null content", async () => {
    await session.run(script(["think", "deep thought"], ["bash", "true"], ["text", "ok"]));
    const reply = stage.model.lastCall.messages.findLast((m) => m.role === "assistant");
    assertEquals([reply?.reasoning_content, reply?.content], ["deep thought", ""]);
    assertEquals(stage.model.lastCall.messages.filter((m) => m.content === null), []);
    assertEquals(stage.model.lastCall.messages.filter((m) => m.role === "developer"), []);
  });

  await t.step("with the same beginning every time, so that its cache hits", async () => {
    const before = stage.model.lastCall;
    await session.run("and again");
    const after = stage.model.lastCall;
    assertEquals(after.messages.slice(0, before.messages.length), before.messages);
    assertEquals([after.body.tools, after.body.model], [before.body.tools, before.body.model]);
    assertEquals(after.body.stream, true);
  });
});

onStage("a server that gives its calls the same ids again confuses nothing", {
  model: { repeatIds: true },
}, async (stage) => {
  const session = await stage.session();
  const { updates } = await session.run(script(["bash", "echo 1"], ["bash", "echo 2"], ["text", "ok"]));
  const outputs = cardsOf(updates).map((card) => terminalText(updates, card.id));
  assertEquals(outputs, ["1\n", "2\n"]);
  const [calls, results] = callsAndResults(stage.model.lastCall);
  assertEquals(calls.length, 2);
  assertEquals(results, calls);
});

onStage("an AGENTS.md that is no regular file, or too long, hinders nothing", {}, async (stage) => {
  await new Deno.Command("mkfifo", { args: [stage.path("AGENTS.md")] }).output();
  await (await stage.session()).run("hello");
  await Deno.remove(stage.path("AGENTS.md"));
  await stage.write("AGENTS.md", "0123456789\n".repeat(100_000));
  await (await stage.session()).run("hello");
  assert(stage.model.lastCall.text.length < 200_000, `${stage.model.lastCall.text.length} characters`);
});

onStage("an OpenAI-compatible server needs no config file", {
  secrets: { OPENAI_API_KEY: "sk-openai-5a5a5a5a5a5a5a5a" },
  env: { DEEPSEEK_API_KEY: undefined },
}, async (stage) => {
  const env = { OPENAI_BASE_URL: stage.model.baseURL };
  await stage.start({ env, args: ["--model", "openai-compatible/some-model"] });
  const session = await stage.session();
  const { updates } = await session.run(script(["bash", "env; echo ran"], ["text", "ok"]));
  assertHas(terminalText(updates, onlyCard(updates).id), /^ran$/m);
  const { body, authorization } = stage.model.lastCall;
  assertEquals([body.model, authorization], ["some-model", "Bearer sk-openai-5a5a5a5a5a5a5a5a"]);
});

onStage("the embedded demo model answers without key and network", {
  env: { DEEPSEEK_API_KEY: undefined, DEEPSEEK_BASE_URL: undefined, DSH_MODEL: "demo/demo" },
}, async (stage) => {
  const { updates } = await (await stage.session()).run("hello");
  assertNotEquals(updates.length, 0);
  assertEquals(stage.model.calls, []);
});
