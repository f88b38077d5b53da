import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { JobTable } from "../../../src/bash/jobs.ts";
import type { Preset } from "../../../src/config/config.ts";
import { AgentError } from "../../../src/errors.ts";
import { demoModel } from "../../../src/model/demo.ts";
import type { Model } from "../../../src/model/model.ts";
import { parseRules } from "../../../src/permission/rules.ts";
import { children } from "../../../src/session/child/children.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { EventLog } from "../../../src/session/event_log.ts";
import { MemoryStore } from "../../../src/session/store/memory_store.ts";
import { Steering } from "../../../src/session/steering.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FakeFront, FakeGrants, FakeWorkbench } from "../../support/fake_executor.ts";
import { FullStore } from "../../support/full_store.ts";
import { eventually } from "../../support/waiting.ts";

/** A parent's turn on fakes, and what it has children with. */
function fixture(preset: Preset = "workspace", maxModelCalls = 200) {
  const log = new EventLog("sess_test");
  log.attach(new MemoryStore());
  const [front, workbench] = [new FakeFront(), new FakeWorkbench()];
  const presets: Preset[] = [];
  const executor = workbench.executor.bind(workbench);
  workbench.executor = (preset, wish) => {
    presets.push(preset);
    return executor(preset, wish);
  };
  let asked = 0;
  const demo = demoModel({ sleep: () => Promise.resolve() });
  const model: Model = {
    ...demo,
    stream: (request, signal) => {
      asked++;
      return demo.stream(request, signal);
    },
  };
  const turn = {
    ...{ log, front, workbench, preset, maxModelCalls, privateHosts: [] },
    toolsReady: () => Promise.resolve(),
    tools: builtinTools(),
    grants: new FakeGrants(),
    rules: parseRules({}),
    cwd: "/w",
    jobs: new JobTable({ journal: { started: () => {}, ended: () => {} } }),
    openModel: () => Promise.resolve(model),
    model: undefined,
    thought: undefined,
    steering: new Steering(),
  };
  const delegate = children({ turn, system: (preset, write) => Promise.resolve(`${preset} ${write}`) });
  const play = (steps: unknown[], write = false, signal = new AbortController().signal) =>
    delegate({ callId: "c1", title: "t", task: `demo: ${JSON.stringify(steps)}`, write, signal });
  return { log, front, workbench, presets, play, turn, asked: () => asked };
}

function inside(log: EventLog): SessionEvent[] {
  return log.events().map((e) => {
    assert(e.type === "child" && e.callId === "c1", `${e.type} is not the child's`);
    return e.event;
  });
}

const SHELL = ["call", "bash", { command: "ls" }];

Deno.test("a child's log is a whole turn within its parent's, and its history is its own", async () => {
  const { log, play } = fixture();
  assertEquals(await play([SHELL, ["text", "found"]]), { text: "found", end: "end_turn" });
  assertEquals(inside(log).map((e) => e.type).filter((t) => t !== "text"), [
    "system.set",
    "turn.started",
    "model.called",
    "model.replied",
    "tool.called",
    "tool.started",
    "tool.ended",
    "model.called",
    "model.replied",
    "turn.ended",
  ]);
  assertEquals(log.history.messages(), []);
});

Deno.test("a child that only reads works under read-only, one that writes under its parent's preset", async () => {
  for (const preset of ["read-only", "confirm", "workspace", "full-access"] as const) {
    for (const write of [false, true]) {
      const { log, play, presets } = fixture(preset);
      await play([["call", "bash", { command: "ls" }], ["text", "."]], write);
      const own = write ? preset : "read-only";
      assertEquals(new Set(presets), new Set([own]));
      const [system] = inside(log);
      assertEquals([system?.type, system?.type === "system.set" && system.text], [
        "system.set",
        `${own} ${write}`,
      ]);
    }
  }
});

Deno.test("a child that goes on and on stops by itself, before its parent would", async () => {
  const endless = Array(300).fill(SHELL);
  const short = fixture("workspace", 3);
  assertEquals((await short.play(endless)).end, "max_turn_requests");
  assertEquals(short.asked(), 3);
  const long = fixture("workspace", 200);
  assertEquals((await long.play(endless)).end, "max_turn_requests");
  assertEquals(long.asked(), 50);
});

Deno.test("a child's words on the way to an empty end are no report; of one that failed they are told", async () => {
  assertEquals((await fixture().play([["text", "I look."], SHELL, ["think", "hm"]])).text, "");
  const { text, end } = await fixture().play([["text", "I look."], SHELL, ["fail", 402, "no balance"]]);
  assertEquals(text, "I look.");
  assertStringIncludes(typeof end === "object" ? end.failure : "", "no balance");
});

Deno.test("a child's failure and its cancel are in its log", async () => {
  const failed = fixture();
  await failed.play([["fail", 402, "no balance"]]);
  const end = inside(failed.log).at(-1);
  assert(end?.type === "turn.ended" && "failure" in end.outcome && end.outcome.failure.kind === "model");

  const cancelled = fixture();
  const stop = new AbortController();
  cancelled.workbench.inner.behave = () => {
    stop.abort();
    return Promise.resolve({ stopped: "cancelled", exit: { signal: "SIGTERM" } });
  };
  await assertRejects(() => cancelled.play([SHELL, ["text", "late"]], false, stop.signal), DOMException);
  const last = inside(cancelled.log).at(-1);
  assertEquals(last?.type === "turn.ended" && last.outcome, { stop: "cancelled" });
});

Deno.test("a child whose events cannot be logged does nothing, and its caller hears why", async () => {
  const { turn, asked } = fixture();
  const log = new EventLog("sess_full");
  log.attach(new FullStore());
  const delegate = children({ turn: { ...turn, log }, system: () => Promise.resolve("") });
  const order = { callId: "c1", title: "t", task: "x", write: false, signal: new AbortController().signal };
  await assertRejects(() => delegate(order), AgentError, "disk full");
  assertEquals(asked(), 0);
});

Deno.test("a child's question is its parent's call's, and tells what is asked for", async () => {
  const { front, play } = fixture("read-only");
  front.answers.push("reject");
  await play([["call", "write", { path: "a", content: "x" }], ["text", "."]], true);
  const [question] = front.questions;
  assertEquals([question?.callId, question?.asked], ["c1", { title: "Write `a`", kind: "edit" }]);
});

Deno.test("of many children of a turn four work at once", async () => {
  const { turn } = fixture();
  const gate = Promise.withResolvers<Model>();
  let begun = 0;
  const openModel = () => {
    begun++;
    return gate.promise;
  };
  const delegate = children({ turn: { ...turn, openModel }, system: () => Promise.resolve("") });
  const signal = new AbortController().signal;
  const reports = Array.from(
    { length: 6 },
    (_, i) =>
      delegate({ callId: `c${i}`, title: "t", task: 'demo: [["text","done"]]', write: false, signal }),
  );
  await eventually("the first have begun", () => begun > 0);
  assertEquals(begun, 4);
  gate.resolve(demoModel({ sleep: () => Promise.resolve() }));
  assertEquals((await Promise.all(reports)).map((r) => r.text), Array(6).fill("done"));
});
