import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { ModelFault } from "../../src/model/model.ts";
import { errorText } from "../../src/model/provider_error.ts";
import { FakeClock, fixture, KEY, modelAt, never, read, serve, sse, text } from "./support.ts";

/** Status, body, fault, and what the message must be, after "DeepSeek answered ". */
const TABLE: [number, string, ModelFault, string][] = [
  [400, '{"error":{"message":"Bad role","type":"invalid_request_error"}}', "request", "400: Bad role"],
  [
    400,
    `{"error":{"message":"This model's maximum context length is 1000 tokens."}}`,
    "window",
    "400: This model's maximum context length is 1000 tokens.",
  ],
  [400, '{"object":"error","message":"prompt is too long"}', "window", "400: prompt is too long"],
  [401, '{"error":{"message":"No such key"}}', "auth", "401: No such key (check DEEPSEEK_API_KEY)"],
  [403, '{"error":"not yours"}', "auth", "403: not yours (check DEEPSEEK_API_KEY)"],
  [402, '{"error":{"message":"Insufficient Balance"}}', "payment", "402: Insufficient Balance"],
  [429, '{"error":{"message":"Pay","code":"insufficient_quota"}}', "payment", "429: Pay"],
  [404, '{"detail":"Not Found"}', "request", "404: Not Found"],
  [413, "too big", "request", "413: too big"],
  [422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', "request", "422: field required"],
  [400, "", "request", "400: (no explanation)"],
];
for (const [status, body, fault, message] of TABLE) {
  Deno.test(`${status} ${body.slice(0, 50)} is "${fault}" and not tried again`, async () => {
    await using server = serve(() => new Response(body, { status }));
    const { parts, error } = await read(await modelAt(server.baseURL, "deepseek"));
    assertEquals(parts, []);
    assertEquals(error?.fault, fault);
    assertEquals(error?.status, status);
    assertEquals(error?.message, `DeepSeek answered ${message}`);
    assertEquals(error?.kind, fault === "auth" ? "auth-required" : "model");
    assertEquals(server.requests.length, 1);
  });
}

for (const status of [408, 429, 500, 502, 503, 529]) {
  Deno.test(`${status} is "unavailable" after some tries`, async () => {
    const page = "<html><head><title>Bad Gateway</title></head></html>";
    await using server = serve(() => new Response(page, { status }));
    const { parts, error } = await read(await modelAt(server.baseURL, "deepseek", new FakeClock()));
    assert(parts.length > 2 && parts.every((part) => part.type === "retry"));
    assertEquals(error?.fault, "unavailable");
    assertMatch(error?.message ?? "", /answered \d+: a web page titled "Bad Gateway" \(tried \d+ times\)$/);
  });
}

Deno.test("errorText() finds the text in the shapes that servers use", () => {
  assertEquals(errorText('{"error":{"message":"m"}}'), "m");
  assertEquals(errorText('{"message":"m"}'), "m");
  assertEquals(errorText('[{"error":{"message":"m"}}]'), "m");
  assertEquals(
    errorText('{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"message\\":\\"m\\"}"}}}'),
    "Provider returned error: m",
  );
  assertEquals(errorText('{"code":7}'), '{"code":7}');
});

Deno.test("the key is taken out of whatever the provider says, the end of a long text included", async () => {
  const bodies = [
    JSON.stringify({ error: { message: `Wrong key ${KEY}!` } }),
    `Authorization: Bearer ${KEY}\n`.repeat(3),
    `${"x".repeat(395)}${KEY}`,
  ];
  for (const body of bodies) {
    await using server = serve(() => new Response(body, { status: 401 }));
    const { error } = await read(await modelAt(server.baseURL));
    assertNotMatch(error?.message ?? KEY, /sk-te/);
  }
  const inBand = `data: ${JSON.stringify({ error: { message: KEY } })}\n\n`;
  const noJson = `data: {${KEY}\n\n`;
  for (const body of [inBand, noJson]) {
    await using server = serve(() => sse(body));
    const { error } = await read(await modelAt(server.baseURL));
    assertMatch(error?.message ?? "", /\*\*\*/);
    assertNotMatch(error?.message ?? KEY, /sk-te/);
  }
});

Deno.test("a provider's long text is cut and folded to one line", async () => {
  await using server = serve(() => new Response("a\nb\r\n".repeat(20_000), { status: 400 }));
  const { error } = await read(await modelAt(server.baseURL));
  assert((error?.message.length ?? 0) < 500);
  assertNotMatch(error?.message ?? "\n", /[\r\n]/);
});

Deno.test("a page of HTML with status 200 says to check the base URL", async () => {
  const page = await fixture("web-page.txt");
  await using server = serve(() => new Response(page, { headers: { "content-type": "text/html" } }));
  const { error } = await read(await modelAt(server.baseURL));
  assertEquals(error?.fault, "stream");
  assertMatch(error?.message ?? "", /check its base URL/);
});

Deno.test("a text with status 200 that is no reply is shown", async () => {
  await using server = serve(() => new Response("Ollama is running"));
  const { error } = await read(await modelAt(server.baseURL, "deepseek"));
  assertEquals(error?.fault, "stream");
  assertEquals(error?.message, "DeepSeek did not answer with a reply but with: Ollama is running");
});

Deno.test("a server that falls silent is given up, what it said before is kept", async () => {
  const begun = new TextEncoder().encode(`data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n`);
  await using server = serve(() => sse(new ReadableStream({ start: (c) => c.enqueue(begun) })));
  const patience = { firstByteMs: 5_000, idleMs: 40 };
  const { parts, error } = await read(await modelAt(server.baseURL, "deepseek", { patience }));
  assertEquals(parts, [text("Hi")]);
  assertEquals(error?.fault, "stream");
  assertEquals(error?.message, "DeepSeek sent nothing for 0.04 s; the reply was given up.");
});

Deno.test("a server that never answers is given up", async () => {
  await using server = serve((_request, _n, stopped) => never(stopped));
  const patience = { firstByteMs: 40, idleMs: 5_000 };
  const { error } = await read(await modelAt(server.baseURL, "deepseek", { patience }));
  assertEquals(error?.fault, "stream");
});

Deno.test("comments are signs of life", async () => {
  const reply = await fixture("reasoning-field.sse");
  await using server = serve(() => {
    let n = 0;
    return sse(
      new ReadableStream({
        async pull(controller) {
          if (n++ < 8) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            return controller.enqueue(new TextEncoder().encode(": keep-alive\n\n"));
          }
          controller.enqueue(reply);
          controller.close();
        },
      }),
    );
  });
  const patience = { firstByteMs: 300, idleMs: 300 };
  const { error } = await read(await modelAt(server.baseURL, "deepseek", { patience }));
  assertEquals(error, undefined);
});
