import { assertEquals } from "@std/assert";
import type { ModelMessage } from "../../src/model/model.ts";
import { ask, fixture, KEY, modelAt, read, serve, sse } from "./support.ts";

/** What the server is sent for a history, as text. */
async function sent(
  kind: "deepseek" | "openai-compatible",
  messages: readonly ModelMessage[],
): Promise<{ text: string; headers: Headers; path: string }> {
  const reply = await fixture("reasoning-field.sse");
  let text = "";
  await using server = serve(async (request) => {
    text = await request.text();
    return sse(reply);
  });
  const tools = [{ name: "bash", description: "Run", schema: { type: "object", properties: {} } }];
  await read(await modelAt(server.baseURL, kind), ask("", { messages, tools }));
  const [request] = server.requests;
  return { text, headers: request!.headers, path: request!.path };
}

const HISTORY: readonly ModelMessage[] = [
  { role: "user", text: "One" },
  {
    role: "assistant",
    text: "",
    reasoning: "",
    calls: [{ id: "a", name: "bash", args: '{"n": 1e2,  "é":1}' }],
  },
  { role: "tool", callId: "a", name: "bash", text: "out", isError: false },
  {
    role: "assistant",
    text: "So",
    reasoning: "Hm.",
    calls: [{ id: "b", name: "bash", args: '{"command": "ls' }],
  },
  { role: "tool", callId: "b", name: "bash", text: "The arguments are no JSON.", isError: true },
  { role: "assistant", text: "Done.", calls: [] },
  { role: "user", text: "Two" },
];

const TOOL_MESSAGES = [
  { role: "tool", tool_call_id: "a", content: "out" },
  { role: "tool", tool_call_id: "b", content: "The arguments are no JSON." },
];

function wireCall(id: string, args: string): unknown {
  return [{ id, type: "function", function: { name: "bash", arguments: args } }];
}

Deno.test("DeepSeek gets reasoning_content on every reply, content never null, arguments as they were", async () => {
  const { text, headers, path } = await sent("deepseek", HISTORY);
  assertEquals(path, "/v1/chat/completions");
  assertEquals(headers.get("authorization"), `Bearer ${KEY}`);
  assertEquals(JSON.parse(text), {
    model: "deepseek-flash",
    messages: [
      { role: "system", content: "You are a test." },
      { role: "user", content: "One" },
      {
        role: "assistant",
        content: "",
        reasoning_content: "",
        tool_calls: wireCall("a", '{"n": 1e2,  "é":1}'),
      },
      TOOL_MESSAGES[0],
      {
        role: "assistant",
        content: "So",
        reasoning_content: "Hm.",
        tool_calls: wireCall("b", '{"invalid_json":"{\\"command\\": \\"ls"}'),
      },
      TOOL_MESSAGES[1],
      { role: "assistant", content: "Done.", reasoning_content: "" },
      { role: "user", content: "Two" },
    ],
    tools: [{
      type: "function",
      function: { name: "bash", description: "Run", parameters: { type: "object", properties: {} } },
    }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

Deno.test("other servers get reasoning_content only where the model gave some", async () => {
  const { text } = await sent("openai-compatible", HISTORY);
  const { messages, model } = JSON.parse(text);
  assertEquals(model, "some/model");
  assertEquals(messages.filter((m: { role: string }) => m.role === "assistant"), [
    { role: "assistant", content: "", tool_calls: wireCall("a", '{"n": 1e2,  "é":1}') },
    {
      role: "assistant",
      content: "So",
      reasoning_content: "Hm.",
      tool_calls: wireCall("b", '{"invalid_json":"{\\"command\\": \\"ls"}'),
    },
    { role: "assistant", content: "Done." },
  ]);
});

for (const kind of ["deepseek", "openai-compatible"] as const) {
  Deno.test(`${kind}: a longer history begins with the bytes of the shorter one`, async () => {
    const messagesOf = (text: string) => text.slice(0, text.indexOf('],"tools"'));
    const whole = (await sent(kind, HISTORY)).text;
    assertEquals((await sent(kind, HISTORY)).text, whole);
    for (let n = 1; n < HISTORY.length; n++) {
      const shorter = messagesOf((await sent(kind, HISTORY.slice(0, n))).text);
      assertEquals(whole.slice(0, shorter.length), shorter, `${n} messages`);
    }
  });
}
