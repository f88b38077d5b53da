import { assert, assertEquals } from "@std/assert";
import { ChildCard } from "../../src/presentation/child_card.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { builtinTools } from "../../src/tool/registry.ts";

const card = () => new ChildCard(builtinTools(), { cwd: "/w" });

function call(callId: string, name: string, args: unknown): SessionEvent {
  return { type: "tool.called", callId, name, args: JSON.stringify(args) };
}

function said(text: string, messageId = "m"): SessionEvent {
  return { type: "text", messageId, text };
}

function ended(callId: string, status: "completed" | "failed" = "completed"): SessionEvent {
  return { type: "tool.ended", callId, status, text: "" };
}

Deno.test("a child's card lists its calls with their state, and the last of its words", () => {
  const child = card();
  child.push(said("I look\naround."));
  for (const id of ["a", "b", "c", "d"]) child.push(call(id, "bash", { command: `echo ${id}\n` }));
  child.push({ type: "tool.started", callId: "a" });
  child.push(ended("a"));
  child.push(ended("b", "failed"));
  child.push({ type: "tool.started", callId: "c" });
  assertEquals(
    child.text(),
    "- ✓ `echo a`\n- ✗ `echo b`\n- … `echo c`\n- · `echo d`\n\n> I look around.",
  );
});

Deno.test("a child's card is sent again when a call begins or ends, not with every word", () => {
  const child = card();
  const events: SessionEvent[] = [said("a"), call("a", "read", { path: "x" })];
  assertEquals(events.map((e) => child.push(e)), [false, false]);
  assertEquals(child.push({ type: "tool.started", callId: "a" }), true);
  assertEquals(child.push(ended("a")), true);
  assertEquals(child.push(said("x".repeat(499))), true, "a long text is news");
  assertEquals(child.push({ type: "model.called", model: "demo/demo" }), false);
});

Deno.test("a child's card stays small and is sent a few dozen times, whatever the child does", () => {
  const child = card();
  let [sent, bytes] = [0, 0];
  for (let i = 0; i < 2000; i++) {
    const events = [
      said("word ".repeat(200), `m${i}`),
      call(`${i}`, "bash", { command: "\u0000".repeat(9000) }),
    ];
    for (const event of [...events, ended(`${i}`)]) {
      if (!child.push(event)) continue;
      sent++;
      bytes += child.text().length;
    }
  }
  assert(sent < 50, `${sent} updates`);
  assert(bytes < 128 * 1024, `${bytes} characters`);
});

Deno.test("a child's card tells at once what its user is to know: that a provider is tried again", () => {
  const child = card();
  const text = "Too many requests. Trying again for up to 30 seconds.";
  assertEquals(child.push({ type: "notice", messageId: "n", severity: "warning", text }), true);
  assertEquals(child.text(), `> ${text}`);
});
