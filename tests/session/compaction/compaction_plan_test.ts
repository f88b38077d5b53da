import { assert, assertEquals } from "@std/assert";
import {
  compacted,
  planPruning,
  PRUNE_LONGER,
  tailStart,
} from "../../../src/session/compaction/compaction_plan.ts";
import { summaryGroup, transcript } from "../../../src/session/compaction/compaction_text.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { charsOf, type Group } from "../../../src/session/compaction/group.ts";
import { History } from "../../../src/session/history.ts";

const prompt = (chars: number): Group => ({
  kind: "prompt",
  messages: [{ role: "user", text: "p".repeat(chars) }],
});
let ids = 0;
const reply = (chars: number): Group => {
  const id = `c${++ids}`;
  return {
    kind: "reply",
    messages: [
      { role: "assistant", text: "", calls: [{ id, name: "", args: "" }] },
      { role: "tool", callId: id, name: "bash", text: "r".repeat(chars), isError: false },
    ],
  };
};

/** Does every call have its result behind it, and every result its call? */
function isWhole(groups: readonly Group[]): boolean {
  const messages = groups.flatMap((g) => g.messages);
  const calls = messages.flatMap((m) => m.role === "assistant" ? m.calls.map((c) => c.id) : []);
  const results = messages.flatMap((m) => m.role === "tool" ? [m.callId] : []);
  return JSON.stringify(calls) === JSON.stringify(results);
}

Deno.test("tailStart() keeps as many whole turns as fit", () => {
  const groups = [prompt(10), reply(800), prompt(10), reply(80), prompt(10), reply(80), prompt(10)];
  assertEquals(tailStart(groups), 2);
});

Deno.test("tailStart() cuts inside of the last turn only where that alone is too long", () => {
  const groups = [prompt(10), reply(10), prompt(10), reply(800), reply(50), reply(50)];
  assertEquals(tailStart(groups), 4);
});

Deno.test("tailStart() knows when a summary would replace nothing", () => {
  assertEquals(tailStart([]), undefined);
  assertEquals(tailStart([prompt(100)]), undefined);
  assertEquals(tailStart([prompt(100), reply(100)]), undefined);
  assertEquals(tailStart([summaryGroup("s"), prompt(100), reply(100)]), undefined);
  assertEquals(tailStart([prompt(100), prompt(100)]), undefined);
});

Deno.test("a compacted history begins with the summary, keeps the running prompt and splits no call", () => {
  for (let n = 2; n < 40; n++) {
    const groups = Array.from(
      { length: n },
      (_, i) => i % 5 === 0 ? prompt(i * 7 % 90) : reply(i * 37 % 400),
    );
    const keep = tailStart(groups);
    if (keep === undefined) continue;
    const after = compacted(groups, keep, summaryGroup("s"));
    assertEquals([after[0]?.kind, after[1]?.kind], ["summary", "prompt"]);
    assert(isWhole(after));
    const last = (all: readonly Group[]) => all.findLast((g) => g.kind === "prompt");
    assertEquals(last(after), last(groups));
  }
});

Deno.test("planPruning() takes the long results of all turns but the last, once", () => {
  const groups = [
    prompt(1),
    reply(PRUNE_LONGER + 1),
    reply(PRUNE_LONGER),
    prompt(1),
    reply(PRUNE_LONGER + 1),
  ];
  const plan = planPruning(groups);
  const [only] = groups[1]!.messages.flatMap((m) => m.role === "tool" ? [m.callId] : []);
  assertEquals(plan?.callIds, [only!]);
  assertEquals(planPruning([prompt(1), reply(9999)]), undefined);
});

Deno.test("pruning and a summary are the log's: the same events give the same messages", () => {
  const turn = (n: number): SessionEvent[] => [
    { type: "turn.started", turn: `t${n}`, messageId: "m", prompt: [{ type: "text", text: `prompt ${n}` }] },
    { type: "model.called", model: "demo/demo" },
    { type: "text", messageId: "m", text: "I look" },
    { type: "model.replied", finish: "tool-calls", usage: { inputTokens: 1000, outputTokens: 10 } },
    { type: "tool.called", callId: `c${n}`, name: "bash", args: "{}" },
    { type: "tool.ended", callId: `c${n}`, status: "completed", text: "r".repeat(4000) },
    { type: "turn.ended", turn: `t${n}`, outcome: { stop: "end_turn" } },
  ];
  const log = [...turn(1), ...turn(2), ...turn(3)];
  const history = new History();
  for (const event of log) history.add(event);
  assertEquals(history.tokens(), 2010);
  const plan = planPruning(history.groups())!;
  assertEquals(plan.callIds, ["c1", "c2"]);
  const before = history.groups().reduce((sum, g) => sum + charsOf(g), 0);
  const pruned: SessionEvent = { type: "compaction.pruned", ...plan };
  history.add(pruned);
  assertEquals(before - history.groups().reduce((sum, g) => sum + charsOf(g), 0), plan.saved);
  assertEquals(planPruning(history.groups()), undefined);
  assert(history.tokens() < 2010);
  const done: SessionEvent = {
    type: "compaction.done",
    compaction: "k",
    keep: 4,
    summary: "all of it",
    usage: {},
  };
  history.add(done);
  const again = new History();
  for (const event of [...log, pruned, done]) again.add(event);
  assertEquals(again.messages(), history.messages());
  assertEquals(history.messages().map((m) => m.role), ["user", "user", "assistant", "tool"]);
  assert(history.messages()[0]?.text.endsWith("all of it"));
});

Deno.test("transcript() tells all in order, and no more than it may", () => {
  const text = transcript([prompt(3), reply(9000)], Infinity);
  assert(text.indexOf("ppp") < text.indexOf("rrr") && text.length < 5000, text);
  assert(transcript([prompt(9000)], 1000).length < 1200);
});
