import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ModelPart } from "../../src/model/model.ts";
import { PassingError } from "../../src/model/provider_error.ts";
import { RETRY_BUDGET_MS, retryAfterMs, withRetry } from "../../src/model/retry.ts";
import {
  ask,
  FakeClock,
  fixture,
  modelAt,
  rawReply,
  read,
  rejection,
  serve,
  serveRaw,
  sse,
  text,
} from "./support.ts";

const signal = new AbortController().signal;

/** Collects a stream of attempts that fail `failures` times. */
async function run(failures: number, clock: FakeClock, error: () => Error): Promise<ModelPart[]> {
  let left = failures;
  const parts: ModelPart[] = [];
  async function* attempt(): AsyncGenerator<ModelPart> {
    await Promise.resolve();
    if (left-- > 0) throw error();
    yield text("Hi");
  }
  for await (const part of withRetry(attempt, signal, clock)) parts.push(part);
  return parts;
}

Deno.test("withRetry() tells of each failure before it waits, and waits twice as long each time", async () => {
  const clock = new FakeClock();
  const parts = await run(3, clock, () => new PassingError("busy"));
  assertEquals(parts.slice(0, 3), [
    { type: "retry", attempt: 1, waitMs: 375, reason: "busy" },
    { type: "retry", attempt: 2, waitMs: 750, reason: "busy" },
    { type: "retry", attempt: 3, waitMs: 1500, reason: "busy" },
  ]);
  assertEquals(parts.at(3), text("Hi"));
  assertEquals(clock.waits, [375, 750, 1500]);
});

Deno.test("withRetry() gives up within its budget", async () => {
  const clock = new FakeClock();
  const start = clock.time;
  const error = await rejection(run(Infinity, clock, () => new PassingError("busy", { status: 503 })));
  assertMatch(error.message, /^busy \(tried \d+ times\)$/);
  assertEquals((error as PassingError).fault, "unavailable");
  assertEquals((error as PassingError).status, 503);
  assert(clock.time - start <= RETRY_BUDGET_MS);
  assert(clock.time - start > RETRY_BUDGET_MS / 2);
});

Deno.test("withRetry() waits as long as the server asks", async () => {
  const clock = new FakeClock();
  await run(1, clock, () => new PassingError("busy", { retryAfterMs: 7_000 }));
  assertEquals(clock.waits, [7_000]);
});

Deno.test("withRetry() gives up at once when the server asks for more than is left", async () => {
  const clock = new FakeClock();
  const error = await rejection(run(1, clock, () => new PassingError("busy", { retryAfterMs: 45_000 })));
  assertEquals(error.message, "busy (it asks to wait 45 s, longer than a retry may take)");
  assertEquals(clock.waits, []);
});

Deno.test("withRetry() tries nothing again once a part has come", async () => {
  const clock = new FakeClock();
  async function* attempt(): AsyncGenerator<ModelPart> {
    yield text("Hi");
    await Promise.resolve();
    throw new PassingError("busy");
  }
  const parts = withRetry(attempt, signal, clock);
  assertEquals((await parts.next()).value, text("Hi"));
  assertEquals((await rejection(parts.next())).message, "busy");
  assertEquals(clock.waits, []);
});

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const ASKED: [Record<string, string>, number | undefined][] = [
  [{}, undefined],
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "-3" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "Mon, 30 Nov 2026 12:00:20 GMT" }, 20_000],
  [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
];
for (const [headers, ms] of ASKED) {
  Deno.test(`retryAfterMs() reads ${JSON.stringify(headers)} as ${ms}`, () => {
    assertEquals(retryAfterMs(new Headers(headers), NOW), ms);
  });
}

Deno.test("a model that is busy twice answers the third time", async () => {
  const reply = await fixture("reasoning-field.sse");
  await using server = serve((_, n) =>
    n < 3 ? Response.json({ error: { message: "busy" } }, { status: 503 }) : sse(reply)
  );
  const { parts, error } = await read(await modelAt(server.baseURL));
  assertEquals(error, undefined);
  assertEquals(parts.map((part) => part.type), ["retry", "retry", "reasoning", "text", "finish"]);
  assertEquals(server.requests.length, 3);
});

Deno.test("an error of the server inside of a 200 is tried again as well", async () => {
  const reply = await fixture("reasoning-field.sse");
  const busy = `data: {"error":{"message":"Rate limit","code":429}}\n\n`;
  await using server = serve((_, n) => sse(n < 2 ? busy : reply));
  const { parts } = await read(await modelAt(server.baseURL));
  assertEquals(parts.map((part) => part.type), ["retry", "reasoning", "text", "finish"]);
});

Deno.test("a port where nobody listens is tried again, then named as the cause", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const baseURL = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/v1`;
  listener.close();
  const { parts, error } = await read(await modelAt(baseURL, "deepseek", new FakeClock()), ask());
  assert(parts.length > 2 && parts.every((part) => part.type === "retry"));
  assertEquals(error?.fault, "unavailable");
  assertMatch(error?.message ?? "", /^DeepSeek cannot be reached: .*[Cc]onnection refused/);
});

Deno.test("a connection that is lost before the reply has begun is tried again", async () => {
  const reply = await fixture("reasoning-field.sse");
  await using server = serveRaw(async (connection, n) => {
    if (n === 1) return; // closed without a word
    if (n === 2) await connection.write(rawReply(new TextEncoder().encode(": keep-alive\n\n"), false));
    if (n === 3) await connection.write(rawReply(reply, true));
  });
  const { parts, error } = await read(await modelAt(server.baseURL));
  assertEquals(error, undefined);
  assertEquals(parts.map((part) => part.type), ["retry", "retry", "reasoning", "text", "finish"]);
});

Deno.test("a connection that is lost in the middle of the reply is not tried again", async () => {
  const begun = new TextEncoder().encode(`data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n`);
  await using server = serveRaw(async (connection) => {
    await connection.write(rawReply(begun, false));
  });
  const { parts, error } = await read(await modelAt(server.baseURL));
  assertEquals(parts, [text("Hi")]);
  assertEquals(error?.fault, "stream");
  assertMatch(error?.message ?? "", /lost in the middle of the reply/);
  assertEquals(server.requests.length, 1);
});

Deno.test("a connection that is lost after the reply was complete is no loss", async () => {
  const reply = await fixture("reasoning-field.sse");
  await using server = serveRaw(async (connection) => {
    await connection.write(rawReply(reply, false));
  });
  const { parts, error } = await read(await modelAt(server.baseURL));
  assertEquals(error, undefined);
  assertEquals(parts.map((part) => part.type), ["reasoning", "text", "finish"]);
});
