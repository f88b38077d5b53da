import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { namesIn } from "../support/files.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { API_KEY } from "../support/stage.ts";
import { cardsOf, onlyCard, textOf } from "../support/updates.ts";

onStage("a failure of the model", {}, async (stage, t) => {
  const { model } = stage;
  const session = await stage.session();
  await session.run(script(["text", "hello"])); // the title is the user's own words: not those with the key below
  const fail = async (...steps: Step[]) => {
    const before = model.calls.length;
    const { answer, updates } = await session.prompt(script(...steps));
    assert(answer.error, `the turn succeeded: ${JSON.stringify(answer)}`);
    return { error: answer.error, updates, asked: model.calls.length - before };
  };

  await t.step("with 401 asks for a login and shows no key, whatever the provider says", async () => {
    const { error, asked } = await fail(["http", 401, `Your api key ${API_KEY} is invalid`]);
    assertEquals([error.code, asked], [-32000, 1]);
    assertMatch(error.message, /invalid|key/i);
  });

  await t.step("with 400, 402 or 422 is told at once, in the provider's own words", async () => {
    for (const status of [400, 402, 422]) {
      const { error, asked } = await fail(["http", status, `Provider says ${status}: no`]);
      assertEquals([error.code, asked], [-32603, 1]);
      assertStringIncludes(error.message, `Provider says ${status}: no`);
    }
  });

  await t.step("with 429, 500 or 503 that passes is told to the user while it is tried again", async () => {
    for (const status of [429, 500, 503]) {
      const { updates } = await session.run(script(["flaky", 1, status], ["text", "finally"]));
      const text = textOf(updates);
      assert(text.endsWith("finally"), text);
      assertMatch(text.slice(0, -"finally".length), new RegExp(`${status}|again|retry`, "i"));
    }
  });

  await t.step("in mid-stream is an error, keeps the partial text, and the session goes on", async () => {
    const { error, updates } = await fail(["text", "partial words"], ["cut"]);
    assertEquals([error.code, textOf(updates).trim()], [-32603, "partial words"]);
    await session.run("go on");
    assert(model.lastCall.messages.some((m) => contentText(m.content).includes("partial words")));
  });

  await t.step("by an answer that is no stream is an error, not an empty reply", async () => {
    const { error } = await fail(["body", "text/html", "<html><body>Login to the proxy</body></html>"]);
    assertEquals(error.code, -32603);
    assertEquals((await fail(["body", "text/event-stream", ""])).error.code, -32603);
  });

  await t.step("by an error inside of a stream is told in the provider's words", async () => {
    const body = `data: {"error":{"message":"engine overloaded 4711","type":"server_error"}}\n\n`;
    assertStringIncludes(
      (await fail(["body", "text/event-stream", body])).error.message,
      "engine overloaded 4711",
    );
  });

  await t.step("in the middle of a tool call runs nothing", async () => {
    const { updates } = await fail([
      "half",
      "bash",
      `{"command":"touch half-1; touch half-2; touch half-3"}`,
    ]);
    assertEquals(namesIn(stage.workspace), []);
    assertEquals(cardsOf(updates).filter((card) => card.status === "completed"), []);
  });

  await t.step("to write valid arguments runs nothing and is told to the model", async () => {
    const turn = await session.run(script(["raw", "bash", `{"command": "touch raw-1`], ["text", "ok"]));
    assertEquals(namesIn(stage.workspace), []);
    assertEquals(cardsOf(turn.updates).map((card) => card.status), ["failed"]);
    const told = model.lastCall.messages.findLast((m) => m.role === "tool");
    assertMatch(contentText(told?.content), /JSON|argument/i);
  });

  await t.step("to finish by its length runs none of its calls", async () => {
    const turn = await session.prompt(script(["finish", "length"], ["bash", "touch length-1"]));
    assertEquals(turn.stopReason, "max_tokens");
    assertEquals(namesIn(stage.workspace), []);
  });

  await t.step("leaves a history in which every call has its result", async () => {
    await session.run("and now?");
    const [calls, results] = callsAndResults(model.lastCall);
    assertEquals(results, calls);
  });
});

onStage(
  "a retry is a notice where the client knows notices",
  { client: { session: { notices: {} } } },
  async (stage) => {
    const session = await stage.session();
    const { updates } = await session.run(script(["flaky", 1, 503], ["text", "finally"]));
    assertEquals(textOf(updates), "finally");
    assert(updates.some((u) => u.sessionUpdate === "notice"), JSON.stringify(updates));
  },
);

onEmptyStage("without a key a session opens and a prompt names the variable to set", {}, async (stage) => {
  await stage.start({ env: { DEEPSEEK_API_KEY: undefined, DEEPSEEK_BASE_URL: undefined } });
  const session = await stage.session();
  const { answer } = await session.prompt("hello");
  assertEquals(answer.error?.code, -32000);
  assertStringIncludes(answer.error!.message, "DEEPSEEK_API_KEY");
});

onStage("a call whose arguments are nested without end", { client: plainCapabilities }, async (stage, t) => {
  const session = await stage.session();
  const deep = `{"command":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;

  await t.step("is refused, and the turn goes on", async () => {
    const { stopReason, updates } = await session.run(script(["raw", "bash", deep], ["text", "ok"]));
    assertEquals([stopReason, onlyCard(updates).status, textOf(updates)], ["end_turn", "failed", "ok"]);
    assertMatch(stage.model.told, /not a valid JSON object/);
  });

  await t.step("and the session can be loaded", async () => {
    await stage.stop();
    await stage.start();
    await stage.load(session.id);
    assertEquals(onlyCard(stage.agent.updatesOf(session.id)).status, "failed");
  });
});
