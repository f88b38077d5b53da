import { agent, client, type CreateElicitationRequest } from "@agentclientprotocol/sdk";
import { assertEquals } from "@std/assert";
import { Channel } from "../../src/acp/channel.ts";
import { readClient } from "../../src/acp/client.ts";
import { Outbox } from "../../src/acp/outbox.ts";
import { builtinTools } from "../../src/tool/registry.ts";
import type { Elicited } from "../../src/tool/user.ts";
import { eventually } from "../support/waiting.ts";

const FORM = {
  mode: "form",
  message: "Name?",
  form: { fields: [{ name: "name", required: true, type: "text" }] },
} as const;
const PAGE = { mode: "url", message: "Log in", url: "https://example.com/", id: "e1" } as const;
const IDLE = new AbortController().signal;

type Answerer = (request: CreateElicitationRequest, signal: AbortSignal) => unknown;

/** A channel to a client of the SDK that has declared this and answers so. */
function connected(elicitation: unknown, answer: Answerer) {
  const completed: string[] = [];
  const other = client({ name: "test" })
    .onRequest("elicitation/create", ({ params, signal }) => answer(params, signal) as never)
    .onNotification("elicitation/complete", ({ params }) => void completed.push(params.elicitationId));
  const connection = agent({ name: "test" }).connect(other);
  const channel = new Channel({
    sessionId: "s",
    peer: connection.client,
    outbox: new Outbox(() => Promise.resolve()),
    tools: builtinTools(),
    ...readClient({ elicitation } as never),
  });
  return { channel, completed, [Symbol.dispose]: () => connection.close() };
}

Deno.test("a client fills in forms where it said that it can", async () => {
  const seen: CreateElicitationRequest[] = [];
  using both = connected({ form: {}, url: {} }, (request) => {
    seen.push(request);
    return { action: "accept", content: { name: "Ada" } };
  });
  const answered = await both.channel.elicit({ ...FORM, callId: "c" }, IDLE);
  assertEquals(answered, { action: "accept", content: { name: "Ada" } });
  assertEquals([seen[0]?.mode, seen[0]?.message], ["form", "Name?"]);
});

Deno.test("a client shows a page where it said that it can, and is told when the visit is over", async () => {
  using both = connected({ form: {}, url: {} }, () => ({ action: "accept" }));
  assertEquals<Elicited>(await both.channel.elicit(PAGE, IDLE), { action: "accept", content: {} });
  await both.channel.elicit({ ...PAGE, id: "e2" }, IDLE);
  for (const id of ["never sent", "e1", "e1", "e2"]) both.channel.elicitationDone(id);
  await eventually("the end of the last visit", () => both.completed.includes("e2"));
  assertEquals(both.completed, ["e1", "e2"], "each once, and none that was not made");
});

Deno.test("a client that declared nothing, or the other way alone, is not asked", async () => {
  const ways = [
    [undefined, "unsupported", "unsupported"],
    [null, "unsupported", "unsupported"],
    [{}, "unsupported", "unsupported"],
    [{ form: null, url: null }, "unsupported", "unsupported"],
    [{ form: {} }, "decline", "unsupported"],
    [{ url: {} }, "unsupported", "decline"],
  ] as const;
  for (const [declared, form, page] of ways) {
    using one = connected(declared, () => ({ action: "decline" }));
    const answers = [await one.channel.elicit(FORM, IDLE), await one.channel.elicit(PAGE, IDLE)];
    assertEquals(answers.map(({ action }) => action), [form, page], JSON.stringify(declared));
  }
});

Deno.test("the end of a visit that the user did not make is not told", async () => {
  using both = connected({ url: {} }, (request) => ({
    action: (request as { elicitationId?: string }).elicitationId === "e1" ? "decline" : "accept",
  }));
  for (const id of ["e1", "e2"]) await both.channel.elicit({ ...PAGE, id }, IDLE);
  for (const id of ["e1", "e2"]) both.channel.elicitationDone(id);
  await eventually("the end of the visit", () => both.completed.length > 0);
  assertEquals(both.completed, ["e2"]);
});

Deno.test("an elicitation is withdrawn when its signal is aborted, and is never put when it was before", async () => {
  let asked = 0;
  const withdrawn = Promise.withResolvers<void>();
  using both = connected({ form: {} }, (_, signal) => {
    asked++;
    signal.addEventListener("abort", () => withdrawn.resolve(), { once: true });
    return new Promise(() => {});
  });
  const cancel = new AbortController();
  const open = both.channel.elicit(FORM, cancel.signal);
  await eventually("the form", () => asked === 1);
  cancel.abort();
  assertEquals(await open, { action: "cancel" });
  await withdrawn.promise;
  assertEquals(await both.channel.elicit(FORM, cancel.signal), { action: "cancel" });
  assertEquals(asked, 1);
});

Deno.test("a client that breaks, or has gone, has given no answer", async () => {
  using broken = connected({ form: {} }, () => {
    throw new Error("the form broke");
  });
  assertEquals(await broken.channel.elicit(FORM, IDLE), { action: "failed" });
  const gone = connected({ form: {} }, () => ({ action: "decline" }));
  gone[Symbol.dispose]();
  assertEquals(await gone.channel.elicit(FORM, IDLE), { action: "failed" });
});
