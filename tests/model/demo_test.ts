import { assert, assertEquals, assertMatch } from "@std/assert";
import { demoModel } from "../../src/model/demo.ts";
import type { ModelFault, ModelMessage, ModelPart } from "../../src/model/model.ts";
import { ask, call, callStart, read, text, wasAborted } from "./support.ts";

const model = demoModel({ sleep: () => Promise.resolve() });

/** The parts of a reply without ids and usage, which carry no meaning here. */
function plain(parts: readonly ModelPart[]): unknown[] {
  return parts.map((part) => {
    if (part.type === "call") return ["call", part.call.name, part.call.args];
    if (part.type === "call-start") return ["begins", part.name];
    return part.type === "finish" ? part.reason : "text" in part ? [part.type, part.text] : part;
  });
}

/** The history after a reply whose calls got these results. */
function after(
  messages: readonly ModelMessage[],
  parts: readonly ModelPart[],
  results: readonly { text: string; isError?: boolean }[] = [],
): ModelMessage[] {
  const calls = parts.flatMap((part) => part.type === "call" ? [part.call] : []);
  const said = parts.map((part) => part.type === "text" ? part.text : "").join("");
  return [
    ...messages,
    { role: "assistant", text: said, calls },
    ...calls.map(({ id, name }, i): ModelMessage => ({
      role: "tool",
      callId: id,
      name,
      text: results[i]?.text ?? "ok",
      isError: results[i]?.isError ?? false,
    })),
  ];
}

Deno.test("demo: a script is played reply by reply", async () => {
  const script = [
    ["think", "Hm.", { chunks: 2 }],
    ["text", "🎉a", { chunks: 2 }],
    ["par", [["call", "bash", { command: "a" }], ["raw", "read", "{x"]]],
    ["wait", 5],
    ["text", "End"],
  ];
  const messages: ModelMessage[] = [{ role: "user", text: `Play\ndemo: ${JSON.stringify(script)}` }];
  const first = await read(model, ask("", { messages }));
  assertEquals(plain(first.parts), [
    ["reasoning", "Hm"],
    ["reasoning", "."],
    ["text", "🎉"],
    ["text", "a"],
    ["begins", "bash"],
    ["begins", "read"],
    ["call", "bash", '{"command":"a"}'],
    ["call", "read", "{x"],
    "tool-calls",
  ]);
  const second = await read(model, ask("", { messages: after(messages, first.parts) }));
  assertEquals(plain(second.parts), [["text", "End"], "stop"]);
});

Deno.test("demo: the same request gives the same reply, and no id twice", async () => {
  const line = 'demo: [["call","bash",{}],["call","bash",{}],["text","x"]]';
  const messages: ModelMessage[] = [{ role: "user", text: line }];
  const first = await read(model, ask("", { messages }));
  assertEquals(await read(model, ask("", { messages })), first);
  const second = await read(model, ask("", { messages: after(messages, first.parts) }));
  const ids = [...first.parts, ...second.parts].flatMap((p) => p.type === "call" ? [p.call.id] : []);
  assertEquals(new Set(ids).size, 2);
});

const FAILS: [string, ModelFault, number | undefined][] = [
  ['["fail",401,"no key"]', "auth", 401],
  ['["fail",402,"no money"]', "payment", 402],
  ['["fail",400,"maximum context length is 9"]', "window", 400],
  ['["fail",503,"busy"]', "unavailable", 503],
  ['["cut"]', "stream", undefined],
];
for (const [step, fault, status] of FAILS) {
  Deno.test(`demo: the step ${step} throws`, async () => {
    const { parts, error } = await read(model, ask(`demo: [["text","Hi"],${step}]`));
    assertEquals(parts, [text("Hi")]);
    assertEquals([error?.fault, error?.status], [fault, status]);
  });
}

Deno.test("demo: a reply that is cut at its length has no complete call", async () => {
  const { parts } = await read(model, ask('demo: [["call","bash",{}],["finish","length"]]'));
  assertEquals(plain(parts), [["begins", "bash"], "length"]);
});

Deno.test("demo: a script that cannot be read is answered with how scripts look", async () => {
  for (const line of ["demo: [", "demo: {}", 'demo: [["dance"]]', 'demo: [["call",1]]']) {
    const { parts } = await read(model, ask(line));
    assertMatch(parts.map((p) => p.type === "text" ? p.text : "").join(""), /^A script is one line/);
  }
});

Deno.test("demo: a tool that is not offered is told of and not called", async () => {
  const { parts } = await read(model, ask('demo: [["call","fly",{}]]'));
  assertEquals(plain(parts).at(-1), "stop");
  assert(parts.every((part) => part.type !== "call"));
});

async function tour(
  last: { text: string; isError?: boolean },
): Promise<{ calls: unknown[]; answer: string }> {
  let messages: ModelMessage[] = [{ role: "user", text: "tour" }];
  const calls: unknown[] = [];
  for (let reply = 0; reply < 9; reply++) {
    const { parts } = await read(model, ask("", { messages }));
    const called = parts.flatMap((p) => p.type === "call" ? [[p.call.name, JSON.parse(p.call.args)]] : []);
    const answer = parts.map((p) => p.type === "text" ? p.text : "").join("");
    if (called.length === 0) return { calls, answer };
    calls.push(...called);
    messages = after(messages, parts, [calls.length === 4 ? last : { text: "ok" }]);
  }
  throw new Error("the tour does not end");
}

Deno.test("demo: the tour reads, edits, runs, tries to leave, and tells what came of it", async () => {
  const { calls, answer } = await tour({ text: "bash: /root/.bashrc: Permission denied\n[exit code: 1]" });
  assertEquals(calls, [
    ["read", { path: "greet.sh" }],
    ["edit", { path: "greet.sh", old_string: 'echo "Helo, $1!"', new_string: 'echo "Hello, $1!"' }],
    ["bash", {
      command: "for name in Ada Grace Edsger; do bash greet.sh $name; sleep 0.3; done",
      description: "Run the fixed script",
    }],
    ["bash", {
      command: "echo planted >> ~/.bashrc",
      description: "Try to write outside the workspace",
    }],
  ]);
  assertMatch(answer, /confinement stopped that write: nothing outside the workspace was changed/);
});

Deno.test("demo: the tour says so if the write went through", async () => {
  assertMatch((await tour({ text: "(no output)" })).answer, /went through/);
});

Deno.test("demo: the tour ends where a file tool fails", async () => {
  const messages: ModelMessage[] = [{ role: "user", text: "tour" }];
  const first = await read(model, ask("", { messages }));
  const failed = after(messages, first.parts, [{ text: "greet.sh does not exist", isError: true }]);
  const second = await read(model, ask("", { messages: failed }));
  assertMatch(
    second.parts.map((p) => p.type === "text" ? p.text : "").join(""),
    /read failed: greet\.sh does not exist/,
  );
});

Deno.test("demo: anything else is answered honestly, with usage", async () => {
  const { parts } = await read(model, ask("Write me a compiler"));
  const answer = parts.map((p) => p.type === "text" ? p.text : "").join("");
  assertMatch(answer, /not an intelligence/);
  assertMatch(answer, /DEEPSEEK_API_KEY/);
  const last = parts.at(-1);
  assert(last?.type === "finish" && last.usage.inputTokens! > 0 && last.usage.outputTokens! > 0);
});

Deno.test("demo: an abort ends it at once", async () => {
  const abort = new AbortController();
  const parts = demoModel().stream(ask('demo: [["text","Hi"],["wait",60000]]'), abort.signal)
    [Symbol.asyncIterator]();
  assertEquals((await parts.next()).value, text("Hi"));
  const next = parts.next();
  abort.abort();
  assert(await wasAborted(next));
});

Deno.test("demo: call and call-start carry the same id", async () => {
  const { parts } = await read(model, ask('demo: [["call","bash",{"command":"a"}]]'));
  const [begun] = parts;
  assert(begun?.type === "call-start");
  assertEquals(parts.slice(0, 2), [callStart(begun.id, "bash"), call(begun.id, "bash", '{"command":"a"}')]);
});
