import { assertEquals } from "@std/assert";
import { permissionRequest, readAnswer } from "../../src/acp/permission.ts";

Deno.test("only a clear yes is a yes", () => {
  const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } });
  assertEquals(readAnswer(selected("allow_once")), "allow");
  assertEquals(readAnswer({ outcome: { outcome: "cancelled" } }), "cancelled");
  const noes = [
    selected("reject_once"),
    selected("allow_always"),
    selected(undefined),
    selected({}),
    {},
    null,
    7,
    "yes",
    {
      outcome: "selected",
    },
    { outcome: { outcome: "maybe", optionId: "allow_once" } },
  ];
  for (const garbage of noes) assertEquals(readAnswer(garbage), "reject");
});

Deno.test("the request repeats the card and says what is asked for and why", () => {
  const request = permissionRequest(
    "s",
    {
      callId: "c",
      action: { kind: "command", command: "ls", cwd: "/w" },
      reason: "Because.",
      preview: undefined,
    },
    { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" }, content: [] },
  );
  assertEquals(request.toolCall.title, "ls");
  assertEquals(request.toolCall.rawInput, { command: "ls" });
  assertEquals(request.toolCall.content, [
    { type: "content", content: { type: "text", text: "Run this command in `/w`?\n\nBecause." } },
  ]);
  assertEquals(request.options.map((o) => o.kind), ["allow_once", "reject_once"]);
});
