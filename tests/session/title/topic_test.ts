import { assertEquals } from "@std/assert";
import type { SessionEvent, TurnOutcome } from "../../../src/session/event.ts";
import { TopicMeter } from "../../../src/session/title/topic.ts";

const topicOf = (...events: SessionEvent[]) => {
  const meter = new TopicMeter();
  for (const event of events) meter.add(event);
  return meter.topic;
};
const said = (text: string): SessionEvent => ({
  type: "turn.started",
  turn: "t",
  messageId: "m",
  prompt: [{ type: "context", uri: "file:///a", text: "x" }, { type: "text", text }],
});
const called: SessionEvent = { type: "model.called", model: "a/b" };
const text = (text: string): SessionEvent => ({ type: "text", messageId: "m", text });
const ended = (outcome: TurnOutcome = { stop: "end_turn" }): SessionEvent => ({
  type: "turn.ended",
  turn: "t",
  outcome,
});

Deno.test("the topic is what was asked and the last reply of the first good turn", () => {
  const turn = [said("one"), called, text("I will look."), called, text("It is "), text("done."), ended()];
  assertEquals(topicOf(...turn), { asked: "one", answered: "It is done." });
  assertEquals(topicOf(...turn, said("two"), called, text("no"), ended())?.asked, "one");
});

Deno.test("there is no topic before a turn has ended well", () => {
  assertEquals(topicOf(said("one"), called, text("a")), undefined);
  for (const bad of [{ stop: "cancelled" }, { failure: { kind: "model", message: "" } }] as const) {
    assertEquals(topicOf(said("one"), called, text("a"), ended(bad)), undefined);
    const later = topicOf(
      said("one"),
      called,
      text("a"),
      ended(bad),
      said("two"),
      called,
      text("b"),
      ended(),
    );
    assertEquals(later, { asked: "one\ntwo", answered: "b" });
  }
});

Deno.test("a turn without a model gives no topic", () => {
  assertEquals(topicOf(said("!ls"), ended()), undefined);
});

Deno.test("a session with a title has no topic, nor has a fork", () => {
  const turn = [said("one"), called, text("a"), ended()];
  assertEquals(topicOf(...turn, { type: "title.set", title: "t" }), undefined);
  assertEquals(topicOf({ type: "title.set", title: "t" }, ...turn), undefined);
  assertEquals(topicOf(...turn, { type: "session.forked", from: "s" }, ...turn), undefined);
});

Deno.test("the topic is kept short", () => {
  const { asked, answered } = topicOf(said("x".repeat(9000)), called, text("y".repeat(9000)), ended())!;
  assertEquals([asked.length, answered.length], [2000, 1000]);
});
