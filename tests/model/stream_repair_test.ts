import { assertEquals, assertMatch } from "@std/assert";
import type { ModelFault, ModelPart } from "../../src/model/model.ts";
import { SseReader } from "../../src/model/sse.ts";
import { StreamRepair } from "../../src/model/stream_repair.ts";
import {
  ask,
  call,
  callStart,
  finish,
  fixture,
  modelAt,
  rawReply,
  read,
  reasoning,
  serve,
  serveRaw,
  sse,
  text,
} from "./support.ts";

const A = '{"command":"a"}';
const B = '{"command":"b"}';

/** Replies that end well: every quirk comes out as if the server had none. */
const GOOD: Record<string, ModelPart[]> = {
  "usage-trailing.sse": [text("Hi"), finish("stop", { inputTokens: 9, outputTokens: 1, cachedTokens: 4 })],
  "index-always-0.sse": [
    callStart("call_a", "bash"),
    callStart("call_b", "bash"),
    call("call_a", "bash", A),
    call("call_b", "bash", B),
    finish("tool-calls"),
  ],
  "index-missing.sse": [
    callStart("call_a", "bash"),
    callStart("call_b", "read"),
    call("call_a", "bash", A),
    call("call_b", "read", '{"path":"b"}'),
    finish("tool-calls"),
  ],
  "id-missing.sse": [
    callStart("fresh_1", "bash"),
    callStart("fresh_2", "bash"),
    call("fresh_1", "bash", A),
    call("fresh_2", "bash", B),
    finish("tool-calls"),
  ],
  "id-duplicate.sse": [
    callStart("call_a", "bash"),
    callStart("fresh_1", "bash"),
    call("call_a", "bash", A),
    call("fresh_1", "bash", B),
    finish("tool-calls"),
  ],
  "content-list.sse": [reasoning("Hm."), text("Hi"), finish("stop")],
  "reasoning-field.sse": [reasoning("Hm."), text("Hi"), finish("stop")],
  "no-choices.sse": [text("Hi"), finish("stop")],
  "crlf.sse": [text("a€"), text("\n🎉"), finish("stop")],
  "no-last-newline.sse": [text("Hi"), finish("stop")],
  "finish-without-done.sse": [text("Hi"), finish("stop")],
  "quoted-dsml.sse": [text("The tag is `<｜DSML｜invoke>`."), finish("stop")],
  "done-without-finish.sse": [
    text("Hi"),
    callStart("call_a", "bash"),
    call("call_a", "bash", A),
    finish("tool-calls"),
  ],
  "plain-json.txt": [
    reasoning("Hm."),
    text("Hi"),
    callStart("call_a", "bash"),
    call("call_a", "bash", A),
    finish("tool-calls", { inputTokens: 7, outputTokens: 3 }),
  ],
  "args-object.sse": oneCall("bash", '{"command":"a","n":1}'),
  "args-null.sse": oneCall("list", "{}"),
  "args-empty.sse": oneCall("list", "{}"),
  // What is no JSON stays as the model wrote it: whoever runs calls has to refuse it.
  "args-broken.sse": oneCall("bash", '{"command": "ls'),
  "id-empty-later.sse": oneCall("bash", A),
  "call-repeated.sse": oneCall("bash", A),
  "name-late.sse": oneCall("bash", A),
  "stop-with-calls.sse": oneCall("bash", A),
  // Cut off by the server's limits: the calls had begun and must not be run.
  "length-in-call.sse": [text("Now "), callStart("call_a", "bash"), finish("length")],
  "length-after-call.sse": [callStart("call_a", "bash"), finish("length")],
  "filter-in-call.sse": [callStart("call_a", "bash"), finish("content-filter")],
};

function oneCall(name: string, args: string): ModelPart[] {
  return [callStart("call_a", name), call("call_a", name, args), finish("tool-calls")];
}

/** Replies that end in an error: what was shown before it, its fault and its text. */
const BAD: Record<string, [ModelPart[], ModelFault, RegExp]> = {
  "cut-in-call.sse": [[callStart("call_a", "bash")], "stream", /ended the stream in the middle of the reply/],
  "cut-in-line.sse": [[text("Hi")], "stream", /ended the stream in the middle of the reply/],
  "error-in-200.sse": [[], "request", /answered with an error: No such model$/],
  "error-midway.sse": [[text("Hi"), callStart("call_a", "bash")], "stream", /broke off .*Upstream fell over/],
  "error-line.sse": [[], "window", /exceeds the available context size/],
  "error-event.sse": [[text("Hi")], "stream", /worker died/],
  "error-in-choice.sse": [[text("Hi")], "stream", /Provider disconnected/],
  "error-json.txt": [[], "window", /Prompt is too long/],
  "empty.sse": [[], "stream", /empty reply/],
  "blank.sse": [[], "stream", /empty reply/],
  "web-page.txt": [[], "stream", /web page.*base URL/],
  "no-json.sse": [[text("Hi")], "stream", /no JSON: \{not json/],
  "out-of-resources.sse": [
    [text("Hi"), callStart("call_a", "bash")],
    "stream",
    /insufficient_system_resource/,
  ],
  "leaked-dsml.sse": [
    [text("Let me look.\n\n<｜DS"), text('ML｜function_calls>\n<｜DSML｜invoke name="bash">')],
    "stream",
    /tool call as text .* Nothing was run/,
  ],
  "wrapped-args.sse": [[callStart("call_a", "bash")], "stream", /wrapped the arguments of bash/],
  "args-without-call.sse": [[], "stream", /had not begun/],
};

for (const kind of ["deepseek", "openai-compatible"] as const) {
  for (const [name, parts] of Object.entries(GOOD)) {
    Deno.test(`${kind}: ${name} is read`, async () => {
      const body = await fixture(name);
      await using server = serve(() => sse(body));
      const outcome = await read(await modelAt(server.baseURL, kind));
      assertEquals(outcome.error, undefined);
      assertEquals(outcome.parts.map(said), parts.map(said));
      for (const part of outcome.parts) {
        if (part.type === "call") assertEquals(outcome.written[part.call.id] ?? "{}", part.call.args);
      }
    });
  }
  for (const [name, [parts, fault, message]] of Object.entries(BAD)) {
    Deno.test(`${kind}: ${name} ends in an error and in no call`, async () => {
      const body = await fixture(name);
      await using server = serve(() => sse(body));
      const { parts: came, error } = await read(await modelAt(server.baseURL, kind));
      assertEquals(came, parts);
      assertEquals(error?.fault, fault);
      assertMatch(error?.message ?? "", message);
    });
  }
}

/** Usage without the figures that the provider did not give. */
function said(part: ModelPart): unknown {
  return part.type === "finish" ? JSON.parse(JSON.stringify(part)) : part;
}

Deno.test("a DeepSeek reply is read with thinking, calls and all its usage", async () => {
  const body = await fixture("deepseek.sse");
  await using server = serve(() => sse(body));
  const { parts } = await read(await modelAt(server.baseURL, "deepseek"));
  assertEquals(parts, DEEPSEEK);
});

const DEEPSEEK: ModelPart[] = [
  reasoning("Größe 🎉 "),
  reasoning("zuerst."),
  text("Ich sehe "),
  text("nach: €"),
  callStart("call_a", "bash"),
  call("call_a", "bash", '{"command": "ls -l"}'),
  finish("tool-calls", { inputTokens: 120, outputTokens: 40, reasoningTokens: 12, cachedTokens: 64 }),
];

Deno.test("a reply that comes byte by byte is the same reply", async () => {
  const bytes = await fixture("deepseek.sse");
  const one = bytes[Symbol.iterator]();
  await using server = serve(() =>
    sse(
      new ReadableStream({
        pull(controller) {
          const { done, value } = one.next();
          if (done) controller.close();
          else controller.enqueue(new Uint8Array([value]));
        },
      }),
    )
  );
  const { parts } = await read(await modelAt(server.baseURL, "deepseek"));
  assertEquals(parts, DEEPSEEK);
});

Deno.test("a call whose connection is lost is no call, even if its arguments look whole", async () => {
  const body = await fixture("cut-in-call.sse");
  await using server = serveRaw(async (connection) => {
    await connection.write(rawReply(body, false));
  });
  const { parts, error } = await read(await modelAt(server.baseURL));
  assertEquals(parts, [callStart("call_a", "bash")]);
  assertEquals(error?.fault, "stream");
});

Deno.test("a call whose id the history already holds gets one of its own", async () => {
  const body = await fixture("id-in-history.sse");
  await using server = serve(() => sse(body));
  const earlier = { id: "old", name: "bash", args: "{}" };
  const messages = [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "", calls: [earlier] },
    { role: "tool", callId: "old", name: "bash", text: "ok", isError: false },
  ] as const;
  const { parts } = await read(await modelAt(server.baseURL), ask("", { messages }));
  assertEquals(parts.at(1), call("fresh_1", "bash", A));
});

Deno.test("an id that is no plain one is replaced by one of ours", async (t) => {
  const body = new TextDecoder().decode(await fixture("id-in-history.sse"));
  for (const id of ["i".repeat(100_000), "a\u0000b", "\u001b[2J", "a\nb", "\u202eab"]) {
    await t.step(JSON.stringify(id.slice(0, 20)), async () => {
      await using server = serve(() =>
        sse(new TextEncoder().encode(body.replaceAll('"old"', JSON.stringify(id))))
      );
      const { parts } = await read(await modelAt(server.baseURL), ask(""));
      assertEquals(parts.at(1), call("fresh_1", "bash", A));
    });
  }
});

Deno.test("arguments named `arguments` are no wrap where the tool has such a parameter", async () => {
  const body = await fixture("wrapped-args.sse");
  await using server = serve(() => sse(body));
  const tools = [{ name: "bash", description: "", schema: { properties: { arguments: {} } } }];
  const { parts } = await read(await modelAt(server.baseURL), ask("", { tools }));
  assertEquals(parts.at(1), call("call_a", "bash", '{"arguments": {"command": "ls"}}'));
});

function repairOf(pieces: readonly Uint8Array[]): string {
  const speaker = { label: "Test", secrets: [], keyHint: "" };
  const repair = new StreamRepair({ speaker, tools: [], takenIds: [], freshId: () => "fresh" });
  const reader = new SseReader();
  const events = pieces.flatMap((piece) => reader.push(piece)).concat(reader.end());
  return events.map((event) => repair.event(event)).join("") + repair.end();
}

for (const name of ["deepseek.sse", "crlf.sse"]) {
  Deno.test(`${name} may be split at every byte`, async () => {
    const bytes = await fixture(name);
    const whole = repairOf([bytes]);
    for (let i = 0; i <= bytes.length; i++) {
      assertEquals(repairOf([bytes.subarray(0, i), bytes.subarray(i)]), whole, `split at ${i}`);
    }
  });

  Deno.test(`${name} may be cut into any pieces`, async () => {
    const bytes = await fixture(name);
    const whole = repairOf([bytes]);
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let run = 0; run < 200; run++) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = Math.floor(random() * 40);
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      assertEquals(repairOf(pieces), whole, `run ${run}`);
    }
  });
}
