import { assertEquals } from "@std/assert";
import { childFront } from "../../../src/session/child/child_front.ts";
import { EventLog } from "../../../src/session/event_log.ts";
import { MemoryStore } from "../../../src/session/store/memory_store.ts";
import type { Answer, Question } from "../../../src/session/ports.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FakeFront } from "../../support/fake_executor.ts";

/** A child's front, whose parent's front answers when the test says so. */
function fixture() {
  const front = new FakeFront();
  const open: PromiseWithResolvers<Answer>[] = [];
  front.ask = (question) => {
    front.questions.push(question);
    open.push(Promise.withResolvers());
    return open.at(-1)!.promise;
  };
  const log = new EventLog("child");
  log.attach(new MemoryStore());
  const child = childFront({ front, callId: "parent", title: "Look", log, tools: builtinTools(), cwd: "/w" });
  log.append({ type: "tool.called", callId: "c", name: "bash", args: '{"command":"npm i\\nnpm t"}' });
  return { front, open, child };
}

const question: Question = {
  callId: "c",
  action: { kind: "command", command: "npm i\nnpm t", cwd: "/w" },
  reason: "Because.",
  preview: undefined,
  always: undefined,
};
const IDLE = new AbortController().signal;

Deno.test("a child's question stands on its parent's card and shows the whole command", async () => {
  const { front, open, child } = fixture();
  const asking = child.ask(question, IDLE);
  await Promise.resolve();
  open[0]!.resolve("allow");
  assertEquals(await asking, "allow");
  assertEquals(front.questions, [{
    ...question,
    callId: "parent",
    asked: { title: "npm i\nnpm t", kind: "execute" },
    reason: 'Asked by the sub-agent "Look". Because.',
    preview: [{ type: "text", text: "```bash\nnpm i\nnpm t\n```" }],
  }]);
});

Deno.test("a child asks one question at a time; one that waits is cancelled with the turn", async () => {
  const { front, open, child } = fixture();
  const stop = new AbortController();
  const [first, second, third] = [IDLE, IDLE, stop.signal].map((signal) => child.ask(question, signal));
  await Promise.resolve();
  assertEquals(front.questions.length, 1);
  open[0]!.resolve("reject");
  assertEquals([await first, front.questions.length], ["reject", 2]);
  stop.abort();
  open[1]!.resolve("allow");
  assertEquals([await second, await third, front.questions.length], ["allow", "cancelled", 2]);
});
