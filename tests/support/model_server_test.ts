import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { script, type Step } from "./model_script.ts";
import { ModelServer } from "./model_server.ts";
import { eventually } from "./waiting.ts";
import type { Fields } from "./wire.ts";

function ask(model: ModelServer, messages: Fields[], signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ stream: true, messages }),
    ...(signal ? { signal } : {}),
  });
}

function user(...steps: Step[]): Fields {
  return { role: "user", content: script(...steps) };
}

Deno.test("model server streams the text of the script and records the request", async () => {
  await using model = await ModelServer.start();
  const answer = await (await ask(model, [user(["text", "ab", { chunks: 2 }])])).text();
  assertStringIncludes(answer, `"content":"a"`);
  assertStringIncludes(answer, `"content":"b"`);
  assertStringIncludes(answer, "data: [DONE]");
  assertEquals(model.lastCall.authorization, "Bearer k");
});

Deno.test("model server goes on behind a tool call once its result is in the history", async () => {
  await using model = await ModelServer.start();
  const prompt = user(["bash", "ls"], ["text", "after"]);
  assertStringIncludes(await (await ask(model, [prompt])).text(), `"finish_reason":"tool_calls"`);
  const history = [prompt, { role: "assistant", tool_calls: [{}] }, { role: "tool", content: "x" }];
  assertStringIncludes(await (await ask(model, history)).text(), `"content":"after"`);
});

Deno.test("model server splits a character when it is asked to", async () => {
  await using model = await ModelServer.start({ splitCharacters: true });
  const body = (await ask(model, [user(["text", "€ü"])])).body!;
  let [pieces, text] = [0, ""];
  const decoder = new TextDecoder();
  for await (const piece of body) {
    pieces++;
    text += decoder.decode(piece, { stream: true });
  }
  assertStringIncludes(text, "€ü");
  assertEquals(pieces > 2, true, `only ${pieces} pieces`);
});

Deno.test("model server fails as scripted and then recovers", async () => {
  await using model = await ModelServer.start();
  const refused = await ask(model, [user(["http", 402, "no balance", { "retry-after": "1" }])]);
  assertEquals([refused.status, refused.headers.get("retry-after")], [402, "1"]);
  assertStringIncludes(await refused.text(), "no balance");
  const flaky = [user(["flaky", 1, 429], ["text", "ok"])];
  const first = await ask(model, flaky);
  assertEquals(first.status, 429);
  await first.body?.cancel();
  assertStringIncludes(await (await ask(model, flaky)).text(), `"content":"ok"`);
});

Deno.test("model server breaks a stream off after what it has sent", async () => {
  await using model = await ModelServer.start();
  const reply = await ask(model, [user(["text", "part"], ["cut"])]);
  const decoder = new TextDecoder();
  let text = "";
  await assertRejects(async () => {
    for await (const piece of reply.body!) text += decoder.decode(piece, { stream: true });
  });
  assertStringIncludes(text, "part");
});

Deno.test("model server sees that the client gave up, before and in the stream", async () => {
  await using model = await ModelServer.start();
  for (const step of [["hang"], ["stall"], ["hang"]] satisfies Step[]) {
    const before = model.calls.length;
    const abort = new AbortController();
    const reply = ask(model, [user(step)], abort.signal).then((r) => r.text()).catch(() => "gone");
    await eventually("the request has come", () => model.calls.length > before);
    abort.abort();
    assertEquals(await reply, "gone");
    await eventually(`${step[0]} is seen as closed`, () => model.lastCall.closedByClient);
  }
});

Deno.test("model server holds a reply at a gate until the test opens it", async () => {
  await using model = await ModelServer.start();
  const reply = await ask(model, [user(["gate", "g"], ["text", "late"])]);
  model.open("g");
  assertStringIncludes(await reply.text(), `"content":"late"`);
});
