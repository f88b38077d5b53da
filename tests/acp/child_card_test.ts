import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk";
import { assertEquals } from "@std/assert";
import { Channel } from "../../src/acp/channel.ts";
import { PLAIN_CLIENT } from "../../src/acp/client.ts";
import { Outbox } from "../../src/acp/outbox.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import type { Session } from "../../src/session/session.ts";
import { builtinTools } from "../../src/tool/registry.ts";
import { eventually } from "../support/waiting.ts";

const LS = JSON.stringify({ command: "ls" });

Deno.test("a child's card stands still while it asks, and shows what came meanwhile behind the answer", async () => {
  const sent: SessionUpdate[] = [];
  const answer = Promise.withResolvers<unknown>();
  let tell = (_: SessionEvent) => {};
  const inChild = (event: SessionEvent) => tell({ type: "child", callId: "c", event });
  const channel = new Channel({
    sessionId: "s",
    peer: { request: () => answer.promise } as unknown as AgentContext,
    outbox: new Outbox((_, update) => Promise.resolve(void sent.push(update))),
    tools: builtinTools(),
    ...PLAIN_CLIENT,
  });
  channel.attach({
    cwd: "/w",
    eventsSoFar: () => [],
    subscribe: (listener: typeof tell) => tell = listener,
  } as unknown as Session);
  tell({ type: "tool.called", callId: "c", name: "subagent", args: '{"task":"Look"}' });
  tell({ type: "tool.started", callId: "c" });
  for (const callId of ["a", "b"]) inChild({ type: "tool.called", callId, name: "bash", args: LS });
  inChild({ type: "tool.started", callId: "a" });
  await eventually("all is sent", () => sent.length === 3);

  const asking = channel.ask({
    callId: "c",
    asked: { title: "ls", kind: "execute" },
    action: { kind: "command", command: "ls", cwd: "/w" },
    reason: "Because.",
    preview: [],
    always: undefined,
  }, new AbortController().signal);
  await channel.flushed();
  inChild({ type: "tool.ended", callId: "a", status: "completed", text: "" });
  await channel.flushed();
  assertEquals(sent.length, 3, "nothing while the question is open");

  answer.resolve({ outcome: { outcome: "selected", optionId: "allow_once" } });
  assertEquals(await asking, "allow");
  await channel.flushed();
  const text = "- ✓ `ls`\n- · `ls`";
  assertEquals(sent.slice(3), [{
    ...{
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "in_progress",
      title: "Look",
      kind: "think",
    },
    content: [{ type: "content", content: { type: "text", text } }],
  }]);
});
