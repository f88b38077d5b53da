import { assertEquals } from "@std/assert";
import { choiceRequest, readChosen } from "../../src/acp/choice.ts";

const choice = { callId: "c", options: ["one", "two", "three"] };

Deno.test("every option has a kind of its own, and the plain no is none of them", () => {
  const request = choiceRequest("s", choice, { toolCallId: "c", title: "Q?", content: [] });
  assertEquals(request?.options.map((o) => [o.name, o.kind]), [
    ["one", "allow_once"],
    ["two", "allow_always"],
    ["three", "reject_always"],
    ["None of these", "reject_once"],
  ]);
  assertEquals(request?.toolCall.title, "Q? — 1: one, 2: two, 3: three");
});

Deno.test("without options, or with more than there are kinds, there is no request", () => {
  assertEquals(choiceRequest("s", { ...choice, options: [] }, undefined), undefined);
  assertEquals(choiceRequest("s", { ...choice, options: ["1", "2", "3", "4"] }, undefined), undefined);
});

Deno.test("only an option that was offered is a choice", () => {
  const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } });
  assertEquals(readChosen(choice, selected("option_3")), { action: "accept", index: 2 });
  assertEquals(readChosen(choice, selected("none")), { action: "decline" });
  assertEquals(readChosen(choice, { outcome: { outcome: "cancelled" } }), { action: "cancel" });
  for (const garbage of [selected("option_4"), selected(undefined), selected(1), {}, null, 7, "one"]) {
    assertEquals(readChosen(choice, garbage), { action: "failed" });
  }
});
