import { assert, assertEquals } from "@std/assert";
import type { ModelPart } from "../../src/model/model.ts";
import { ask, fixture, modelAt, serve, serveRaw, sse, text, wasAborted } from "./support.ts";
import { sleep } from "../../src/model/wait.ts";

const HELLO = new TextEncoder().encode(`data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n`);

Deno.test("stream() that is aborted before it begins sends nothing", async () => {
  await using server = serve(() => new Response("no", { status: 500 }));
  const model = await modelAt(server.baseURL);
  const parts = model.stream(ask(), AbortSignal.abort())[Symbol.asyncIterator]();
  assert(await wasAborted(parts.next()));
  assertEquals(server.requests.length, 0);
});

Deno.test("stream() that is aborted while it waits for headers closes the connection", async () => {
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number | null>();
  await using server = serveRaw(async (connection) => {
    asked.resolve();
    closed.resolve(await connection.read(new Uint8Array(1)));
  });
  const abort = new AbortController();
  const model = await modelAt(server.baseURL);
  const next = model.stream(ask(), abort.signal)[Symbol.asyncIterator]().next();
  await asked.promise;
  abort.abort();
  assert(await wasAborted(next));
  assertEquals(await closed.promise, null);
});

Deno.test("stream() that is aborted while it waits to try again stops waiting", async () => {
  await using server = serve(() => new Response("busy", { status: 503, headers: { "retry-after": "20" } }));
  const abort = new AbortController();
  const model = await modelAt(server.baseURL, "deepseek", { sleep });
  const parts = model.stream(ask(), abort.signal)[Symbol.asyncIterator]();
  const first: IteratorResult<ModelPart> = await parts.next();
  assertEquals(first.value?.type, "retry");
  const next = parts.next();
  abort.abort();
  assert(await wasAborted(next));
  assertEquals(server.requests.length, 1);
});

for (const kind of ["deepseek", "openai-compatible"] as const) {
  Deno.test(`${kind}: stream() that is aborted in the middle of a reply closes the connection`, async () => {
    const closed = Promise.withResolvers<void>();
    await using server = serve(() =>
      sse(new ReadableStream({ start: (c) => c.enqueue(HELLO), cancel: () => closed.resolve() }))
    );
    const abort = new AbortController();
    const model = await modelAt(server.baseURL, kind);
    const parts = model.stream(ask(), abort.signal)[Symbol.asyncIterator]();
    assertEquals((await parts.next()).value, text("Hi"));
    const next = parts.next();
    abort.abort();
    assert(await wasAborted(next));
    await closed.promise;
  });

  Deno.test(`${kind}: leaving the loop closes the connection`, async () => {
    const closed = Promise.withResolvers<void>();
    await using server = serve(() =>
      sse(new ReadableStream({ start: (c) => c.enqueue(HELLO), cancel: () => closed.resolve() }))
    );
    const model = await modelAt(server.baseURL, kind);
    for await (const part of model.stream(ask(), new AbortController().signal)) {
      assertEquals(part, text("Hi"));
      break;
    }
    await closed.promise;
  });
}

Deno.test("stream() that is aborted between two parts yields no more", async () => {
  const reply = await fixture("deepseek.sse");
  await using server = serve(() => sse(reply));
  const abort = new AbortController();
  const parts = (await modelAt(server.baseURL)).stream(ask(), abort.signal)[Symbol.asyncIterator]();
  await parts.next();
  abort.abort(new Error("a reason of one's own"));
  assert(await wasAborted(parts.next()));
});

Deno.test("sleep() ends at once when it is aborted, with no timer left", async () => {
  const abort = new AbortController();
  const nap = sleep(60_000, abort.signal);
  abort.abort();
  assert(await wasAborted(nap));
});
