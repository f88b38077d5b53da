import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { Config, Preset } from "../../src/config/config.ts";
import type { CommandResult } from "../../src/bash/executor_handle.ts";
import { buildConfig } from "../../src/config/load.ts";
import { AgentError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { demoModel } from "../../src/model/demo.ts";
import { ModelError } from "../../src/model/model.ts";
import { parseRules } from "../../src/permission/rules.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { EventLog } from "../../src/session/event_log.ts";
import { MemoryStore } from "../../src/session/store/memory_store.ts";
import { Session } from "../../src/session/session.ts";
import { builtinTools } from "../../src/tool/registry.ts";
import { FullStore } from "../support/full_store.ts";
import { FakeFront, FakeGrants, FakeWorkbench } from "../support/fake_executor.ts";

const IDLE = new AbortController().signal;

/** A session on fakes: the scripted demo model without its pauses, a store and an executor in memory. */
async function fixture(
  preset: Preset = "workspace",
  rules: Config["rules"] = {},
  overrides: Partial<Config> = {},
) {
  const config: Config = await buildConfig({ preset, ...overrides }, { HOME: "/home/u" }, "linux");
  const workbench = new FakeWorkbench();
  const front = new FakeFront();
  const grants = new FakeGrants();
  const events = new EventLog("sess_test");
  const seen: SessionEvent[] = [];
  events.subscribe((e) => seen.push(e));
  const session = new Session({
    id: "sess_test",
    cwd: "/w",
    tempDir: () => "/tmp/t",
    config,
    log: silentLog,
    events,
    tools: builtinTools(),
    workbench,
    front,
    grants,
    rules: parseRules(rules),
    openModel: () => Promise.resolve(demoModel({ sleep: abortableNoSleep })),
    secrets: () => [],
    lock: () => {
      events.attach(new MemoryStore());
      return Promise.resolve({ release: () => {} });
    },
    mcpServers: [{
      name: "files",
      transport: { kind: "stdio", command: "/nonexistent/4711", args: [], env: {} },
      trusted: false,
    }],
    settings: { preset, model: undefined, thought: undefined },
  });
  const play = async (steps: unknown[], signal = IDLE) =>
    (await session.prompt([{ type: "text", text: `demo: ${JSON.stringify(steps)}` }], signal)).stop;
  const ends = () => seen.flatMap((e) => e.type === "tool.ended" ? [e] : []);
  return { session, workbench, front, grants, seen, play, ends };
}

/** Scripted waits last until they are aborted; all other pauses are skipped. */
function abortableNoSleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 10_000) return Promise.resolve();
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const types = (events: readonly SessionEvent[]) => events.map((e) => e.type);

Deno.test("a turn with a command is logged step by step", async () => {
  const { play, seen, workbench } = await fixture();
  const stop = await play([["call", "bash", { command: "make" }], ["text", "done"]]);
  assertEquals(stop, "end_turn");
  assertEquals(workbench.inner.commands, ["make"]);
  const steps = types(seen).filter((t) => t !== "text" && t !== "thought");
  assertEquals(steps, [
    "system.set",
    "turn.started",
    "notice",
    "model.called",
    "model.replied",
    "tool.called",
    "tool.started",
    "tool.output",
    "tool.ended",
    "model.called",
    "model.replied",
    "turn.ended",
  ]);
});

Deno.test("an MCP server that cannot be started is named with the cause, once", async () => {
  const { play, seen } = await fixture();
  await play([["text", "a"]]);
  await play([["text", "b"]]);
  const notices = seen.flatMap((e) => e.type === "notice" ? [e.text] : []);
  assertEquals(notices.length, 1);
  assertStringIncludes(notices[0]!, "`files` could not be started: there is no program /nonexistent/4711");
});

Deno.test("prompts run one after the other", async () => {
  const { play, seen } = await fixture();
  const stops = await Promise.all([play([["text", "one"]]), play([["text", "two"]])]);
  assertEquals(stops, ["end_turn", "end_turn"]);
  assertEquals(types(seen).filter((t) => t.startsWith("turn")), [
    "turn.started",
    "turn.ended",
    "turn.started",
    "turn.ended",
  ]);
});

Deno.test("cancel settles the running prompt and all that wait, and not the next one", async () => {
  const { session, play, seen } = await fixture();
  const running = play([["wait", 60_000]]);
  const waiting = play([["text", "never"]]);
  while (!types(seen).includes("model.called")) await new Promise((resolve) => setTimeout(resolve, 1));
  session.cancel();
  assertEquals(await Promise.all([running, waiting]), ["cancelled", "cancelled"]);
  assertEquals(types(seen).filter((t) => t === "turn.started").length, 1);
  assertEquals(await play([["text", "next"]]), "end_turn");
});

Deno.test("a prompt's own signal cancels that prompt alone", async () => {
  const { play } = await fixture();
  const one = new AbortController();
  const running = play([["wait", 60_000]], one.signal);
  const next = play([["text", "next"]]);
  one.abort();
  assertEquals(await Promise.all([running, next]), ["cancelled", "end_turn"]);
});

Deno.test("a cancel while a command runs closes its call and those behind it", async () => {
  const { play, workbench, ends, session } = await fixture();
  workbench.inner.behave = (_command, _emit, signal) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ stopped: "cancelled", exit: { signal: "SIGTERM" } }))
    );
  const turn = play([["par", [["call", "bash", { command: "a" }], ["call", "bash", { command: "b" }]]]]);
  while (workbench.inner.commands.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  session.cancel();
  assertEquals(await turn, "cancelled");
  assertEquals(ends().map((e) => e.status), ["failed", "failed"]);
  assertEquals(workbench.inner.commands, ["a"]);
});

Deno.test("a failed model ends the turn with its error, is logged, and leaves the session usable", async () => {
  const { play, seen } = await fixture();
  const error = await assertRejects(() => play([["fail", 402, "no balance"]]), ModelError);
  assertEquals(error.fault, "payment");
  const ended = seen.find((e) => e.type === "turn.ended");
  assert(ended?.type === "turn.ended" && "failure" in ended.outcome);
  assertEquals(await play([["text", "ok"]]), "end_turn");
});

Deno.test("a reply that was cut by its length runs none of its calls", async () => {
  const { play, workbench } = await fixture();
  assertEquals(await play([["text", "long"], ["finish", "length"]]), "max_tokens");
  assertEquals(workbench.inner.commands, []);
});

Deno.test("wrong arguments and unknown tools fail the call, teach the model, and the turn goes on", async () => {
  const { play, ends } = await fixture();
  const stop = await play([["raw", "bash", '{"command": "rm -rf /tm'], ["call", "read", { path: 7 }], [
    "text",
    "x",
  ]]);
  assertEquals(stop, "end_turn");
  assertEquals(ends().map((e) => e.status), ["failed", "failed"]);
  assertStringIncludes(ends()[0]!.text, "not a valid JSON object");
});

Deno.test("read-only asks before an edit; yes edits with a wider executor, for that call", async () => {
  const { play, front, workbench, ends } = await fixture("read-only");
  front.answers.push("allow");
  await play([["call", "write", { path: "a", content: "x" }], ["call", "bash", { command: "ls" }], [
    "text",
    ".",
  ]]);
  assertEquals(front.questions.map((q) => q.action.kind), ["edit"]);
  assertEquals(workbench.inner.files.get("/w/a"), "x");
  assertEquals(workbench.wishes, [undefined, "edit", undefined]);
  assertEquals(ends().map((e) => e.status), ["completed", "completed"]);
});

Deno.test("no tells the model and the turn goes on; dismissing the question ends the turn", async () => {
  const no = await fixture("read-only");
  no.front.answers.push("reject");
  assertEquals(await no.play([["call", "write", { path: "a", content: "x" }], ["text", "ok"]]), "end_turn");
  assertEquals(no.ends().map((e) => [e.status, e.notRun]), [["failed", "refused"]]);

  const dismissed = await fixture("read-only");
  dismissed.front.answers.push("cancelled");
  const calls = [["call", "write", { path: "a", content: "x" }], ["call", "write", {
    path: "b",
    content: "y",
  }]];
  assertEquals(await dismissed.play([["par", calls]]), "cancelled");
  assertEquals(dismissed.ends().map((e) => e.notRun), ["cancelled", "cancelled"]);
  assertEquals(dismissed.workbench.inner.files.size, 0);
});

Deno.test("without confinement nothing runs unasked, and the question says why", async () => {
  const { play, front, workbench } = await fixture();
  workbench.unconfinable = "this kernel has no Landlock";
  front.answers.push("reject", "allow");
  await play([["call", "bash", { command: "a" }], ["call", "bash", { command: "b" }], ["text", "."]]);
  assertEquals(workbench.inner.commands, ["b"]);
  assertStringIncludes(front.questions[0]!.reason, "no Landlock");
  assertEquals(workbench.wishes, [undefined, undefined, "unconfined"]);
});

/** A job that runs until its signal is aborted or `end` is called. */
function untilEnded(workbench: FakeWorkbench) {
  const end = Promise.withResolvers<Partial<CommandResult>>();
  const signals: AbortSignal[] = [];
  workbench.inner.behave = (_command, emit, signal) => {
    signals.push(signal);
    signal.addEventListener(
      "abort",
      () => end.resolve({ stopped: "cancelled", exit: { signal: "SIGTERM" } }),
    );
    emit("ready\n");
    return end.promise;
  };
  const finish = async (result: Partial<CommandResult>) => {
    end.resolve(result);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { finish, signals };
}

const START = ["call", "bash", { command: "serve", background: true }];

Deno.test("a job outlives its turn; its end is told at the start of the next one, once", async () => {
  const { play, seen, ends, session, workbench } = await fixture();
  const job = untilEnded(workbench);
  await play([START, ["text", "."]]);
  assertEquals(ends()[0]?.status, "completed");
  assertStringIncludes(ends()[0]!.text, "ready\n[job1 runs in the background");
  session.cancel();
  assertEquals(job.signals.map((s) => s.aborted), [false]);

  await job.finish({ exit: { code: 7 } });
  assertEquals(seen.at(-1)?.type, "turn.ended", "nothing is told outside of a turn");
  for (const _ of [1, 2]) await play([["text", "."]]);
  const at = seen.findIndex((e) => e.type === "job.ended");
  assertEquals(seen[at - 1]?.type, "turn.started");
  assertEquals(seen.filter((e) => e.type === "job.ended").length, 1);
});

Deno.test("job_output and job_kill read on; what they told is not told again", async () => {
  const { play, seen, ends, workbench } = await fixture();
  const job = untilEnded(workbench);
  await play([START, ["text", "."]]);
  await play([["call", "job_output", { job_id: "job1" }], ["text", "."]]);
  assertMatch(ends()[1]!.text, /^\[no new output\]\n\[job1 runs, .* so far\]$/);
  await play([["call", "job_kill", { job_id: "job1" }], ["text", "."]]);
  assertMatch(ends()[2]!.text, /\[ended by job_kill\]\n\[killed by signal: SIGTERM\]$/);
  await job.finish({});
  await play([["call", "job_output", { job_id: "job2" }], ["text", "."]]);
  assertEquals(ends()[3]!.status, "failed");
  assertStringIncludes(ends()[3]!.text, 'There is no job "job2". Jobs: job1.');
  const told = seen.flatMap((e) => e.type === "job.ended" ? [e.inResult] : []);
  assertEquals(told, [true]);
});

Deno.test("a start that fails at once is a failed command", async () => {
  const { play, seen, ends, workbench } = await fixture();
  workbench.inner.behave = (_command, emit) => {
    emit("port taken\n");
    return Promise.resolve({ exit: { code: 1 } });
  };
  await play([START, ["text", "."]]);
  await play([["text", "."]]);
  assertEquals([ends()[0]!.status, ends()[0]!.facts], ["failed", {
    ...{ exit: { code: 1 }, stopped: null, durationMs: 1 },
  }]);
  assertMatch(ends()[0]!.text, /^port taken\n\[job1 ended after .*\]\n\[exit code: 1\]$/);
  assertEquals(seen.flatMap((e) => e.type === "job.ended" ? [e.inResult] : []), [true]);
});

Deno.test("closing a session ends its jobs", async () => {
  const { play, session, workbench } = await fixture();
  const job = untilEnded(workbench);
  await play([START, ["text", "."]]);
  await session.close();
  assertEquals(job.signals.map((s) => s.aborted), [true]);
});

Deno.test("call ids are unique in a session, whatever the model counts", async () => {
  const { play, seen } = await fixture();
  await play([["call", "bash", { command: "a" }], ["text", "."]]);
  await play([["call", "bash", { command: "b" }], ["text", "."]]);
  const ids = seen.flatMap((e) => e.type === "tool.called" ? [e.callId] : []);
  assertEquals(new Set(ids).size, 2);
});

Deno.test("what happened is in the log before anyone is told, and a closed session takes no prompt", async () => {
  const { session, play, seen } = await fixture();
  await play([["text", "a"]]);
  const stored = session.eventsSoFar();
  assertEquals(stored.slice(-seen.length), seen);
  await session.close();
  assertEquals(await play([["text", "b"]]), "cancelled");
});

Deno.test("a store that fails ends the turn with its error", async () => {
  const { session } = await fixture();
  const broken = await fixture();
  broken.seen.length = 0;
  const events = new EventLog("sess_x");
  events.attach(new FullStore());
  // The same session on a broken log: nothing is run when nothing can be logged.
  const config = await buildConfig({}, { HOME: "/home/u" }, "linux");
  const onBroken = new Session({
    ...{
      id: "sess_x",
      cwd: "/w",
      tempDir: () => "/t",
      config,
      log: silentLog,
      events,
      tools: builtinTools(),
    },
    ...{
      workbench: broken.workbench,
      front: broken.front,
      mcpServers: [],
      settings: { preset: config.preset, model: undefined, thought: undefined },
    },
    ...{ grants: broken.grants, rules: parseRules({}) },
    openModel: () => Promise.resolve(demoModel()),
    secrets: () => [],
    lock: { release: () => {} },
  });
  await assertRejects(() => onBroken.prompt([{ type: "text", text: "x" }], IDLE), AgentError, "disk full");
  await onBroken.close();
  await session.close();
});

Deno.test("an escalation asks, and gets the wider executor for that one call", async () => {
  const { play, front, workbench, ends } = await fixture();
  front.answers.push("allow", "reject");
  const call = (
    escalate: string,
  ) => ["call", "bash", { command: "npm i", escalate, justification: "packages" }];
  await play([call("network"), call("unconfined"), ["call", "bash", { command: "ls" }], ["text", "."]]);
  assertEquals(workbench.inner.commands, ["npm i", "ls"]);
  assertEquals(workbench.wishes.filter((w) => w !== undefined), ["network"]);
  assertStringIncludes(front.questions[0]!.reason, "packages");
  assertEquals(ends().map((e) => e.notRun), [undefined, "refused", undefined]);
});

Deno.test("an always is remembered and not asked for again", async () => {
  const { play, front, workbench, grants } = await fixture("confirm");
  front.answers.push("allow-always");
  const call = ["call", "bash", { command: "npm test" }];
  await play([call, call, ["text", "."]]);
  assertEquals([front.questions.length, grants.kept.length], [1, 1]);
  assertEquals(workbench.inner.commands, ["npm test", "npm test"]);
});

Deno.test("confirm does not ask for harmless commands", async () => {
  const { play, front } = await fixture("confirm");
  await play([["call", "bash", { command: "git status && ls -la | head -3" }], ["text", "."]]);
  assertEquals(front.questions, []);
});

Deno.test("a deny rule refuses before anyone is asked, and tells the model", async () => {
  const { play, front, workbench, ends } = await fixture("full-access", { deny: ["git push *"] });
  await play([["call", "bash", { command: "git push origin main" }], ["text", "."]]);
  assertEquals([front.questions.length, workbench.inner.commands.length], [0, 0]);
  assertEquals(ends().map((e) => e.notRun), ["refused"]);
});

Deno.test("a change of the preset counts from the next turn and is in the log", async () => {
  const { session, play, front, seen } = await fixture();
  const write = ["call", "write", { path: "a", content: "x" }];
  const running = play([["wait", 1], write, ["text", "."]]);
  session.change({ type: "preset.set", preset: "read-only" });
  await running;
  assertEquals(session.preset, "read-only");
  const before = front.questions.length;
  await play([["call", "write", { path: "b", content: "x" }], ["text", "."]]);
  assertEquals(front.questions.length, before + 1);
  assertEquals(session.eventsSoFar().some((e) => e.type === "preset.set"), true);
  assertEquals(seen.filter((e) => e.type === "system.set").length >= 1, true);
});

Deno.test("a turn that goes on and on stops by itself", async () => {
  const { play, workbench } = await fixture("workspace", {}, { maxModelCalls: 2 });
  const call = ["call", "bash", { command: "again" }];
  assertEquals(await play([call, call, call, ["text", "never"]]), "max_turn_requests");
  assertEquals(workbench.inner.commands.length, 2);
});

Deno.test("a prompt's end tells the tokens of all its model calls", async () => {
  const { session } = await fixture();
  const text = `demo: ${JSON.stringify([["call", "bash", { command: "a" }], ["text", "."]])}`;
  const { stop, usage } = await session.prompt([{ type: "text", text }], IDLE);
  const replies = session.eventsSoFar().flatMap((e) => e.type === "model.replied" ? [e.usage] : []);
  assertEquals([stop, replies.length], ["end_turn", 2]);
  assertEquals(usage?.inputTokens, replies.reduce((n, u) => n + (u.inputTokens ?? 0), 0));
});

Deno.test("a plan is logged between the start and the end of its call; where no user is, a question says so", async () => {
  const { play, seen, ends } = await fixture();
  const entry = { content: "Look", status: "pending" };
  await play([["call", "plan", { entries: [entry] }], ["call", "ask_user", { question: "Q?" }], [
    "text",
    "ok",
  ]]);
  const plan = seen.findIndex((e) => e.type === "plan.set");
  const around = [seen[plan - 1], seen[plan + 1]].map((e) => e?.type);
  assertEquals(around, ["tool.called", "tool.ended"]);
  assertEquals(seen[plan], {
    type: "plan.set",
    entries: [{ ...entry, status: "pending", priority: "medium" }],
  });
  assertStringIncludes(ends()[1]!.text, "No user is there to answer.");
});
