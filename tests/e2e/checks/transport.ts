import { assert, assertEquals, assertNotMatch } from "@std/assert";
import { script } from "../../support/model_script.ts";
import { processesRunning, uniqueSleep } from "../../support/process_tree.ts";
import { API_KEY, type Stage } from "../../support/stage.ts";
import { isTool, outputOf, terminalText } from "../../support/updates.ts";
import { eventually, pause } from "../../support/waiting.ts";
import { isFields, type Message } from "../../support/wire.ts";
import { answersFrom, type Check, place, withAgent } from "./check.ts";

const ROOT_KEYS = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Every `_meta` in a message, at any depth. */
function metas(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(metas);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => key === "_meta" ? [inner] : metas(inner));
}

/** Has a command run, ends the agent, and proves that the command is gone too. */
async function endBusy(stage: Stage, end: "input" | "SIGTERM", code: number): Promise<void> {
  const sleep = uniqueSleep();
  await withAgent(stage, {}, async (agent) => {
    const session = await stage.session();
    const turn = await session.begin(script(["bash", `echo up; ${sleep}`]));
    await turn.until((u) => outputOf(u) !== undefined, "the command's output");
    const status = await (end === "input" ? agent.closeInput() : agent.kill(end));
    assertEquals(status.code, code);
  });
  await eventually("the command is gone", () => processesRunning(sleep).length === 0);
}

/** Transport and JSON-RPC: 1–12. */
export const transport: readonly Check[] = [
  ["1 stdout carries messages and nothing else, whatever runs below it", async (stage) => {
    const session = await stage.session();
    await session.run(script(["bash", "echo out; echo err >&2; echo tty > /dev/stderr"], ["text", "ok"]));
    assertEquals([stage.agent.faults, stage.agent.stderr], [[], ""]);
    assert(stage.agent.frames.every((frame) => frame.message.jsonrpc === "2.0"));
  }],
  ["2 an id comes back as it was sent", async ({ agent }) => {
    for (const id of [0, -1, "a string", "", 2 ** 53 - 1, "ünï\u{1F980}"]) {
      assertEquals((await agent.request("_nope", {}, id)).id, id);
    }
  }],
  ["3 an answer is a result or an error, which has a whole number and one line of text", async (stage) => {
    await stage.agent.refusal("session/new", { cwd: "a\nb" });
    for (const message of answersFrom(stage.agent, 0)) {
      assertEquals(("result" in message) !== ("error" in message), true);
      if (message.error) assert(Number.isInteger(message.error.code));
      assertNotMatch(message.error?.message ?? "", /\n/);
    }
  }],
  ["4 what has no id is never answered", async ({ agent }) => {
    const from = agent.frames.length;
    for (const sessionId of ["never", 5, null]) await agent.notify("session/cancel", { sessionId });
    for (const method of ["$/x", "_x", "$/cancel_request"]) {
      await agent.notify(method, { requestId: "never" });
    }
    await agent.refusal("_fence", {});
    await pause(50);
    assertEquals(answersFrom(agent, from).length, 1);
  }],
  ["5 an unknown method is -32601", async ({ agent }) => {
    assertEquals((await agent.refusal("session/unheard_of", {})).code, -32601);
  }],
  ["6 a request for an extension that is not there is answered", async ({ agent }) => {
    assertEquals((await agent.refusal("_vendor/extension", { a: 1 })).code, -32601);
  }],
  ["7 lines that are no messages are told with a null id, and the next request works", async (stage) => {
    const { agent } = stage;
    const from = agent.frames.length;
    await agent.raw('{bad\n{}\n[]\n42\n{"jsonrpc":"2.0","id":{},"method":"session/new"}\n');
    await agent.call("session/new", place(stage));
    const answers = answersFrom(agent, from).slice(0, -1);
    assert(answers.length > 0);
    for (const { id, error } of answers) {
      assertEquals([id, [-32700, -32600].includes(error?.code ?? 0)], [null, true]);
    }
  }],
  ["8 a message may be cut anywhere, share a write, end in CRLF, and be large", async (stage) => {
    const { agent } = stage;
    const one: Message = { id: agent.newId(), method: "session/new", params: place(stage) };
    const two: Message = { ...one, id: agent.newId() };
    for (const message of [one, two]) agent.expect(message);
    const [a, b] = [one, two].map((m) => JSON.stringify({ jsonrpc: "2.0", ...m }));
    await agent.raw(`\r\n${a!.slice(0, 20)}`);
    await agent.raw(`${a!.slice(20)}\r\n\n${b}\n`);
    for (const { id } of [one, two]) assert((await agent.response(id!)).result);
    await (await stage.session()).run("word ".repeat(1_000_000));
    assert(stage.model.lastCall.text.length > 4_900_000);
  }],
  [
    "8b an input that ends in the middle of a line, or without its newline, ends the agent well",
    async (stage) => {
      await withAgent(stage, {}, async (agent) => {
        const message: Message = { id: agent.newId(), method: "session/list", params: {} };
        agent.expect(message);
        await agent.raw(JSON.stringify({ jsonrpc: "2.0", ...message }));
        await agent.closeInput();
      });
    },
  ],
  ["9 the end of its input and SIGTERM end the agent and all that it runs", async (stage) => {
    await endBusy(stage, "input", 0);
    await endBusy(stage, "SIGTERM", 143);
  }],
  ["10 an error has words, and no secret in them", async (stage) => {
    // The title is made of a prompt's first words: the script stands behind them.
    const prompt = `${"word ".repeat(40)}\n${script(["http", 401, `bad key ${API_KEY}`])}`;
    const { answer } = await (await stage.session()).prompt(prompt);
    assert(answer.error!.message.length > 5);
    assertEquals(JSON.stringify(answer).includes(API_KEY), false);
  }],
  ["11 a message has the keys of JSON-RPC only, and each _meta is an object or null", ({ agent }) => {
    for (const { message } of agent.frames) {
      assertEquals(Object.keys(message).filter((key) => !ROOT_KEYS.has(key)), []);
      assert(metas(message).every((meta) => meta === null || isFields(meta)));
    }
  }],
  ["12 every line fits the schema", async (stage) => {
    const session = await stage.session();
    const { updates } = await session.run(
      script(["think", "hm"], ["bash", "echo 1"], ["tool", "read", { path: "a.txt" }], ["text", "ok"]),
    );
    const card = updates.find(isTool)!;
    assertEquals(terminalText(updates, card.toolCallId!), "1\n");
    assertEquals(stage.agent.faults, []); // each line was held against the schema as it came
  }],
];
