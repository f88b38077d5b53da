import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { buildConfig } from "../../../src/config/load.ts";
import { silentLog } from "../../../src/log.ts";
import { type Model, ModelError, type ModelPart, type ModelRequest } from "../../../src/model/model.ts";
import { parseRules } from "../../../src/permission/rules.ts";
import { compact } from "../../../src/session/compaction/compaction.ts";
import { SUMMARY_PROMPT } from "../../../src/session/compaction/compaction_text.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { EventLog } from "../../../src/session/event_log.ts";
import { closingEvents } from "../../../src/session/store/log_recovery.ts";
import { MemoryStore } from "../../../src/session/store/memory_store.ts";
import { Session } from "../../../src/session/session.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FakeFront, FakeGrants, FakeWorkbench } from "../../support/fake_executor.ts";

const IDLE = new AbortController().signal;

/** What the fake model does with one request. */
type Act = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>;

async function* says(text: string, inputTokens?: number): AsyncGenerator<ModelPart> {
  await Promise.resolve();
  if (text !== "") yield { type: "text", text };
  yield { type: "finish", reason: "stop", usage: { inputTokens, outputTokens: 0 } };
}

async function* runs(command: string): AsyncGenerator<ModelPart> {
  await Promise.resolve();
  yield { type: "call", call: { id: "c", name: "bash", args: JSON.stringify({ command }) } };
  yield { type: "finish", reason: "tool-calls", usage: {} };
}

// deno-lint-ignore require-yield
async function* fails(error: Error): AsyncGenerator<ModelPart> {
  await Promise.resolve();
  throw error;
}

// deno-lint-ignore require-yield
async function* hangs(signal: AbortSignal): AsyncGenerator<ModelPart> {
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const tooLong = () => new ModelError("window", "The prompt is too long.");

/** A session whose model does what `acts` say, one request after the other, and `summary` when it summarises. */
async function fixture(options: { window?: number; acts: Act[]; summary?: Act }) {
  const asked: ModelRequest[] = [];
  const summarised: ModelRequest[] = [];
  const model: Model = {
    ref: { provider: "fake", model: "fake" },
    window: options.window,
    thinks: false,
    sees: false,
    stream: (request, signal) => {
      if (request.system === SUMMARY_PROMPT) {
        summarised.push(request);
        return (options.summary ?? (() => says("SUMMARY")))(request, signal);
      }
      asked.push(request);
      const act = options.acts[asked.length - 1];
      return act ? act(request, signal) : says("ok");
    },
  };
  const events = new EventLog("sess_test");
  const seen: SessionEvent[] = [];
  events.subscribe((e) => seen.push(e));
  const session = new Session({
    id: "sess_test",
    cwd: "/w",
    tempDir: () => "/tmp/t",
    config: await buildConfig({}, { HOME: "/home/u" }, "linux"),
    log: silentLog,
    events,
    tools: builtinTools(),
    workbench: new FakeWorkbench(),
    front: new FakeFront(),
    grants: new FakeGrants(),
    rules: parseRules({}),
    openModel: () => Promise.resolve(model),
    secrets: () => [],
    lock: () => {
      events.attach(new MemoryStore());
      return Promise.resolve({ release: () => {} });
    },
    mcpServers: [],
    settings: { preset: "full-access", model: undefined, thought: undefined },
  });
  const prompt = async (text: string) => (await session.prompt([{ type: "text", text }], IDLE)).stop;
  const compactions = () =>
    seen.map((e) => e.type).filter((t) => t.startsWith("compaction.") && t !== "compaction.text");
  return { session, prompt, asked, summarised, seen, compactions, events, model };
}

const texts = (request: ModelRequest) => request.messages.map((m) => m.text);

Deno.test("near the window the conversation is summarised before the next call", async () => {
  const { prompt, asked, summarised, compactions, session } = await fixture({
    window: 1000,
    acts: [() => says("first answer", 900)],
  });
  await prompt("one");
  assertEquals(compactions(), []);
  assertEquals(await prompt("two"), "end_turn");
  assertEquals(compactions(), ["compaction.started", "compaction.done"]);
  assertEquals([summarised.length, summarised[0]?.tools.length], [1, 0]);
  assertStringIncludes(texts(summarised[0]!)[0]!, "first answer");
  const [summary, ...tail] = texts(asked[1]!);
  assertStringIncludes(summary!, "SUMMARY");
  assertEquals(tail, ["two"]);
  const reloaded = new EventLog(
    "x",
    undefined,
    session.eventsSoFar().map((event, seq) => ({ seq, time: 0, event })),
  );
  assertEquals(reloaded.history.messages().slice(0, 2), [...asked[1]!.messages]);
});

Deno.test("without figures of the provider an estimate counts", async () => {
  const { prompt, compactions } = await fixture({ window: 1000, acts: [() => says("x".repeat(4000))] });
  await prompt("one");
  await prompt("two");
  assertEquals(compactions(), ["compaction.started", "compaction.done"]);
});

Deno.test("where leaving out old results is enough, no summary is written", async () => {
  const { prompt, asked, compactions } = await fixture({
    window: 10_000,
    acts: [() => runs("echo " + "y".repeat(20_000)), () => says("saw it", 9000)],
  });
  await prompt("one");
  await prompt("two");
  assertEquals(compactions(), ["compaction.pruned"]);
  const result = asked[2]!.messages.find((m) => m.role === "tool");
  assertStringIncludes(result!.text, "left out");
});

Deno.test("a model whose window is not known is left alone", async () => {
  const { prompt, compactions } = await fixture({ acts: [() => says("a", 9_000_000)] });
  await prompt("one");
  await prompt("two");
  assertEquals(compactions(), []);
});

Deno.test("a history that the provider refuses as too long is shortened and sent once more", async () => {
  const { prompt, asked, compactions, seen } = await fixture({
    acts: [() => says("first"), () => fails(tooLong()), () => says("went well")],
  });
  await prompt("one");
  assertEquals(await prompt("two"), "end_turn");
  assertEquals([compactions(), asked.length], [["compaction.started", "compaction.done"], 3]);
  assertEquals(texts(asked[2]!).length, 2);
  assert(seen.some((e) => e.type === "text" && e.text === "went well"));
});

Deno.test("a history that is too long still ends the turn with the provider's error", async () => {
  const { prompt, asked } = await fixture({
    acts: [() => says("first"), () => fails(tooLong()), () => fails(tooLong())],
  });
  await prompt("one");
  await assertRejects(() => prompt("two"), ModelError, "too long");
  assertEquals(asked.length, 3);
});

Deno.test("where there is nothing to shorten the provider's error is told at once", async () => {
  const { prompt, asked, compactions } = await fixture({ acts: [() => fails(tooLong())] });
  await assertRejects(() => prompt("one"), ModelError, "too long");
  assertEquals([asked.length, compactions()], [1, []]);
});

const BAD: Record<string, Act> = {
  "that fails": () => fails(new ModelError("unavailable", "The server is down.")),
  "that is empty": () => says(" \n"),
  "that is cut off": async function* () {
    await Promise.resolve();
    yield { type: "text", text: "half" };
    yield { type: "finish", reason: "length", usage: {} };
  },
};

for (const [name, summary] of Object.entries(BAD)) {
  Deno.test(`a summary ${name} leaves the history as it was, and the turn goes on`, async () => {
    const { prompt, asked, compactions } = await fixture({
      window: 1000,
      acts: [() => says("first", 900), () => runs("ls")],
      summary,
    });
    await prompt("one");
    assertEquals(await prompt("two"), "end_turn");
    assertEquals(texts(asked[1]!), ["one", "first", "two"]);
    assertEquals(compactions(), ["compaction.started", "compaction.failed"], "once in a turn");
  });

  Deno.test(`a summary ${name} after a refused history ends the turn with the provider's error`, async () => {
    const { prompt, asked } = await fixture({ acts: [() => says("first"), () => fails(tooLong())], summary });
    await prompt("one");
    await assertRejects(() => prompt("two"), ModelError, "too long");
    assertEquals(asked.length, 2);
  });
}

Deno.test("a cancel while the summary is written cancels the turn and keeps the history", async () => {
  const begun = Promise.withResolvers<void>();
  const { session, prompt, asked, seen, events } = await fixture({
    window: 1000,
    acts: [() => says("first", 900)],
    summary: (_, signal) => {
      begun.resolve();
      return hangs(signal);
    },
  });
  await prompt("one");
  const turn = prompt("two");
  await begun.promise;
  session.cancel();
  assertEquals(await turn, "cancelled");
  assertEquals(asked.length, 1);
  assertEquals(seen.flatMap((e) => e.type === "compaction.failed" ? [e.cancelled] : []), [true]);
  assertEquals(events.history.messages().map((m) => m.text), ["one", "first", "two"]);
});

Deno.test("one long turn is cut between its replies and keeps its prompt", async () => {
  const long = () => runs("echo " + "z".repeat(3000));
  const { prompt, asked, compactions } = await fixture({
    window: 4000,
    acts: [long, long, () => runs("echo short")],
  });
  assertEquals(await prompt("the task"), "end_turn");
  assert(compactions().includes("compaction.done"));
  const last = asked.at(-1)!;
  assertStringIncludes(last.messages[0]!.text, "SUMMARY");
  assertEquals(last.messages[1], { role: "user", text: "the task" });
  const calls = last.messages.flatMap((m) => m.role === "assistant" ? m.calls.map((c) => c.id) : []);
  assertEquals(last.messages.flatMap((m) => m.role === "tool" ? [m.callId] : []), calls);
});

Deno.test("compact() works on a conversation that is not full, and says when there is nothing to do", async () => {
  const { prompt, events, model, compactions } = await fixture({ acts: [] });
  await prompt("one");
  await prompt("two");
  const deps = { log: events, thought: undefined };
  assertEquals(await compact(deps, model, IDLE), "done");
  assertEquals(compactions(), ["compaction.started", "compaction.done"]);
  assertEquals(await compact(deps, model, IDLE), "nothing");
});

Deno.test("a compaction that a dead process left open is closed as failed", () => {
  const events = closingEvents([
    { type: "turn.started", turn: "t", messageId: "m", prompt: [] },
    { type: "compaction.started", compaction: "k", model: "a/b", system: "s", keep: 1, max: null },
  ]);
  assertEquals(events.map((e) => e.type), ["compaction.failed", "turn.ended"]);
});
