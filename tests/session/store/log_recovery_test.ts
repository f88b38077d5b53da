import { assertEquals } from "@std/assert";
import type { SessionEvent } from "../../../src/session/event.ts";
import { closingEvents } from "../../../src/session/store/log_recovery.ts";

const started: SessionEvent = { type: "turn.started", turn: "t1", messageId: "m", prompt: [] };
const call = (callId: string): SessionEvent => ({ type: "tool.called", callId, name: "bash", args: "{}" });

Deno.test("a log that ends well needs nothing", () => {
  const ended: SessionEvent = { type: "turn.ended", turn: "t1", outcome: { stop: "end_turn" } };
  assertEquals(closingEvents([started, ended]), []);
  assertEquals(closingEvents([]), []);
});

Deno.test("open calls are closed: not started, or outcome unknown; then the turn", () => {
  const events = closingEvents([started, call("a"), call("b"), { type: "tool.started", callId: "a" }]);
  assertEquals(events.map((e) => e.type), ["tool.ended", "tool.ended", "turn.ended"]);
  const texts = events.flatMap((e) => e.type === "tool.ended" ? [e.text] : []);
  assertEquals(texts.map((t) => /unknown/.test(t)), [true, false]);
  assertEquals(texts.map((t) => /Nothing was run/.test(t)), [false, true]);
});

Deno.test("a job whose end nobody was told of is told to be gone, once, behind the turn", () => {
  const job = (name: string): SessionEvent => ({ type: "job.started", job: name, command: "serve" });
  const outcome = { exit: { code: 0 }, stopped: null, durationMs: 1 } as const;
  const told: SessionEvent = {
    ...{ type: "job.ended", messageId: "m", inResult: true, job: "job1", command: "serve", outcome },
  };
  const log = [started, job("job1"), job("job2"), told];
  const events = closingEvents(log);
  assertEquals(events.map((e) => e.type), ["turn.ended", "job.ended"]);
  const [lost] = events.flatMap((e) => e.type === "job.ended" ? [e] : []);
  assertEquals([lost?.job, lost?.inResult, "failure" in lost!.outcome], ["job2", false, true]);
  assertEquals(closingEvents([...log, ...events]), []);
});

Deno.test("a child is closed within its parent's log, before the call that it works for", () => {
  const inChild = (event: SessionEvent): SessionEvent => ({ type: "child", callId: "a", event });
  const job: SessionEvent = { type: "job.started", job: "job1", command: "serve" };
  const log: SessionEvent[] = [started, call("a"), { type: "tool.started", callId: "a" }];
  log.push(...[started, call("x"), { type: "tool.started", callId: "x" } as const, job].map(inChild));
  const events = closingEvents(log);
  const told = events.map((e) => e.type === "child" ? `child ${e.event.type}` : e.type);
  assertEquals(told, ["child tool.ended", "child turn.ended", "child job.ended", "tool.ended", "turn.ended"]);
  assertEquals(closingEvents([...log, ...events]), []);
});
