import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { onStage } from "../support/on_stage.ts";
import { textOf } from "../support/updates.ts";
import { pause } from "../support/waiting.ts";
import type { Message } from "../support/wire.ts";

const JUNK = [
  "{broken",
  "[]",
  "42",
  `"text"`,
  "null",
  "{}",
  `{"jsonrpc":"2.0"}`,
  "",
  "\u0000",
  "x".repeat(70_000),
];

onStage("the wire", {}, async (stage, t) => {
  const { agent } = stage;
  const params = { cwd: stage.workspace, mcpServers: [] };

  await t.step("an unknown method is refused with -32601", async () => {
    for (const method of ["session/nope", "_vendor/nope", "nope"]) {
      assertEquals((await agent.refusal(method, {})).code, -32601);
    }
  });

  await t.step("ids are echoed as they were", async () => {
    for (const id of [0, -1, 2 ** 53 - 1, "", "text", "ünï€ \u{1F980}\n"]) {
      const answer = await agent.request("session/new", params, id);
      assertEquals(answer.id, id);
      assert(answer.result?.sessionId);
    }
  });

  await t.step("junk lines are answered without an id, and the agent stays usable", async () => {
    const from = agent.frames.length;
    for (const line of JUNK) await agent.raw(line + "\n");
    await agent.raw(new Uint8Array([0xff, 0xfe, 0x00, 0xc3, 0x0a]));
    assert((await agent.call("session/new", params)).sessionId);
    const answers = agent.frames.slice(from, -1).map((f) => f.message).filter((m) => m.method === undefined);
    assert(answers.length > 0, "bad JSON is to be answered with a parse error");
    for (const { id, error } of answers) {
      assertEquals(id, null);
      assert(error?.code === -32700 || error?.code === -32600, JSON.stringify(error));
    }
  });

  await t.step("notifications are not answered, known or not, well-formed or not", async () => {
    const session = await stage.session();
    const from = agent.frames.length;
    await agent.notify("session/cancel", { sessionId: session.id });
    await agent.notify("session/cancel", { sessionId: "never" });
    await agent.notify("session/cancel", { sessionId: 5 });
    await agent.notify("$/cancel_request", { requestId: "never" });
    await agent.notify("$/nope", {});
    await agent.notify("_vendor/nope", {});
    await pause(200);
    assertEquals(agent.frames.slice(from).filter((f) => "id" in f.message), []);
  });

  await t.step("a message may come one byte at a time", async () => {
    const message: Message = {
      id: agent.newId(),
      method: "session/new",
      params: { ...params, _meta: { x: "€" } },
    };
    agent.expect(message);
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    for (const byte of bytes) await agent.raw(new Uint8Array([byte]));
    assert((await agent.response(message.id!)).result?.sessionId);
  });

  await t.step("several messages may come in one write", async () => {
    const messages = [1, 2, 3].map(() => ({ id: agent.newId(), method: "session/new", params }));
    await agent.write(...messages);
    const ids = new Set<unknown>();
    for (const { id } of messages) ids.add((await agent.response(id)).result?.sessionId);
    assertEquals(ids.size, 3);
  });

  await t.step("lines may end in CRLF, and blank lines may stand between", async () => {
    const message: Message = { id: agent.newId(), method: "session/new", params };
    agent.expect(message);
    await agent.raw(`\r\n\n${JSON.stringify({ jsonrpc: "2.0", ...message })}\r\n\r\n`);
    assert((await agent.response(message.id!)).result?.sessionId);
  });

  await t.step("a prompt of several megabytes reaches the model whole", async () => {
    const session = await stage.session();
    const turn = await session.run("begin " + "lorem ".repeat(800_000) + " end");
    assertNotEquals(textOf(turn.updates), "");
    assert(stage.model.lastCall.text.length > 4_800_000, `${stage.model.lastCall.text.length} bytes`);
  });
});
