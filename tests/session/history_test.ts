import { assertEquals } from "@std/assert";
import type { SessionEvent } from "../../src/session/event.ts";
import { planPruning } from "../../src/session/compaction/compaction_plan.ts";
import { History } from "../../src/session/history.ts";

function historyOf(...events: SessionEvent[]): History {
  const history = new History();
  for (const event of events) history.add(event);
  return history;
}

const user = (text: string): SessionEvent => ({
  type: "turn.started",
  turn: "t",
  messageId: "m",
  prompt: [{ type: "text", text }],
});
const asked: SessionEvent = { type: "model.called", model: "demo/demo" };
const said = (text: string): SessionEvent => ({ type: "text", messageId: "m", text });
const thought = (text: string): SessionEvent => ({ type: "thought", messageId: "m", text });
const called = (callId: string): SessionEvent => ({ type: "tool.called", callId, name: "bash", args: "{}" });
const ended = (callId: string, text: string): SessionEvent => ({
  type: "tool.ended",
  callId,
  status: "completed",
  text,
});

Deno.test("a turn with a call: user, assistant with call and reasoning, result, assistant", () => {
  const history = historyOf(
    user("hi"),
    asked,
    thought("hm"),
    said("I lo"),
    said("ok"),
    called("c1"),
    ended("c1", "out"),
    asked,
    said("done"),
  );
  assertEquals(history.messages(), [
    { role: "user", text: "hi" },
    { role: "assistant", text: "I look", reasoning: "hm", calls: [{ id: "c1", name: "bash", args: "{}" }] },
    { role: "tool", callId: "c1", name: "bash", text: "out", isError: false },
    { role: "assistant", text: "done", reasoning: undefined, calls: [] },
  ]);
});

Deno.test("results stand in the order of their calls, whichever ended first", () => {
  const history = historyOf(user("x"), asked, called("a"), called("b"), ended("b", "B"), ended("a", "A"));
  assertEquals(history.messages().flatMap((m) => m.role === "tool" ? [m.text] : []), ["A", "B"]);
});

Deno.test("a call without a result never reaches the model as an orphan", () => {
  const history = historyOf(user("x"), asked, called("a"), user("again"));
  const roles = history.messages().map((m) => m.role);
  assertEquals(roles, ["user", "assistant", "tool", "user"]);
});

Deno.test("a reply that broke off keeps its text and has no calls; an empty one leaves nothing", () => {
  const failed: SessionEvent = { type: "model.failed", message: "cut" };
  assertEquals(historyOf(user("x"), asked, said("par"), failed, user("y")).messages().map((m) => m.role), [
    "user",
    "assistant",
    "user",
  ]);
  assertEquals(historyOf(user("x"), asked, failed, user("y")).messages().map((m) => m.role), [
    "user",
    "user",
  ]);
});

Deno.test("links and carried text reach the model in place", () => {
  const history = historyOf({
    type: "turn.started",
    turn: "t",
    messageId: "m",
    prompt: [
      { type: "text", text: "see" },
      { type: "link", uri: "file:///a%20b.ts", name: "a b.ts" },
      { type: "context", uri: "file:///c.ts#L1:2", text: "code" },
    ],
  });
  const [message] = history.messages();
  assertEquals(message, {
    role: "user",
    text: 'see\n[file /a b.ts]\n<context source="file /c.ts, lines 1–2">\ncode\n</context>',
  });
});

const jobEnded = (job: string, inResult: boolean): SessionEvent => ({
  ...{ type: "job.ended", messageId: "m", inResult, job, command: "npm  run\ndev" },
  outcome: { exit: { code: 1 }, stopped: null, durationMs: 12_400 },
});
const report = (job: string) => `[Background ${job} (npm run dev) has ended after 12 s. Exit code 1.]`;

Deno.test("jobs that have ended stand in front of the user's words, in order", () => {
  const history = historyOf(user("hi"), jobEnded("job1", false), jobEnded("job2", false), asked, said("ok"));
  assertEquals(history.messages().map((m) => m.role === "tool" ? "" : m.text), [
    `${report("job1")}\n${report("job2")}\n\nhi`,
    "ok",
  ]);
});

Deno.test("what a load found to be lost stands in front of the next prompt", () => {
  const history = historyOf(user("one"), asked, said("ok"), jobEnded("job1", false), user("two"));
  assertEquals(history.messages().map((m) => m.role === "tool" ? "" : m.text), [
    "one",
    "ok",
    `${report("job1")}\n\ntwo`,
  ]);
});

Deno.test("an end that the model read in a result is not told again", () => {
  const history = historyOf(user("one"), jobEnded("job1", true), asked, said("ok"));
  assertEquals(history.messages()[0], { role: "user", text: "one" });
});

Deno.test("a result's images stay with it, count as much as they cost, and are gone when it is pruned", () => {
  const images = [{ mimeType: "image/png", data: "AAAA" }];
  const shot: SessionEvent = {
    type: "tool.ended",
    callId: "a",
    status: "completed",
    text: "a picture",
    images,
  };
  const history = historyOf(user("x"), asked, called("a"), shot, user("y"));
  const [, , result] = history.messages();
  assertEquals(result, {
    role: "tool",
    callId: "a",
    name: "bash",
    text: "a picture",
    isError: false,
    images,
  });
  const tokens = history.tokens();
  const pruning = planPruning(history.groups());
  assertEquals(pruning?.callIds, ["a"]);
  history.add({ type: "compaction.pruned", ...pruning! });
  assertEquals(JSON.stringify(history.messages()).includes("AAAA"), false);
  assertEquals(tokens > 1500 && history.tokens() < 100, true);
});

const PICTURE: SessionEvent = {
  type: "turn.started",
  turn: "t",
  messageId: "m",
  prompt: [
    { type: "text", text: "Look at " },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "text", text: " please" },
  ],
};

Deno.test("a prompt's picture keeps its place behind a report that is put in front", () => {
  const label = "Look at [image, image/png, 3 bytes]";
  const image = { mimeType: "image/png", data: "AAAA" };
  assertEquals(historyOf(PICTURE).messages(), [
    { role: "user", text: `${label} please`, images: [{ ...image, at: label.length }] },
  ]);
  const front = `${report("job_1")}\n\n`;
  assertEquals(historyOf(PICTURE, jobEnded("job_1", false)).messages(), [
    {
      role: "user",
      text: `${front}${label} please`,
      images: [{ ...image, at: front.length + label.length }],
    },
  ]);
});

Deno.test("a prompt's picture counts as some 1,500 tokens, estimated or behind what was counted", () => {
  const counted: SessionEvent = { type: "model.replied", finish: "stop", usage: { inputTokens: 100 } };
  const text = historyOf(PICTURE).messages()[0]!.text.length;
  const tokens = Math.ceil((text + 6000) / 4);
  assertEquals(historyOf(PICTURE).tokens(), tokens);
  assertEquals(historyOf(user("x"), asked, said("y"), counted, PICTURE).tokens(), 100 + tokens);
  const steered: SessionEvent = { ...PICTURE, type: "steered" };
  assertEquals(historyOf(user("x"), asked, said("y"), counted, steered).tokens(), 100 + tokens);
});
