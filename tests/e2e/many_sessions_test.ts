import { assert, assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { memoryOf } from "../support/process_tree.ts";
import type { Turn } from "../support/session.ts";
import { cardsOf, isChunk, terminalText, textOf } from "../support/updates.ts";
import type { Message } from "../support/wire.ts";

const SESSIONS = 100;
/** Every so many sessions one runs a command too: each has a process of its own. */
const WORKERS = 20;
/** KiB that the agent may grow by for junk. */
const GROWTH = 64 * 1024;

const says = (i: number) => `session-${i}-says `;

onStage("a hundred sessions that are prompted at once do not mix", {}, async (stage) => {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => stage.session()));
  assertEquals(new Set(sessions.map((s) => s.id)).size, SESSIONS);
  const turns = await Promise.all(sessions.map((session, i) =>
    session.run(script(
      ["think", `session-${i}-thinks`, { chunks: 3, ms: 5 }],
      ...i % WORKERS === 0 ? [["bash", `echo session-${i}-prints`] as const] : [],
      ["text", says(i).repeat(20), { chunks: 10, ms: 5 }],
    ))
  ));
  turns.forEach(({ updates }, i) => {
    assertEquals(textOf(updates, "agent_thought_chunk"), `session-${i}-thinks`);
    assertEquals(textOf(updates), says(i).repeat(20));
    const printed = cardsOf(updates).map((card) => terminalText(updates, card.id));
    assertEquals(printed, i % WORKERS === 0 ? [`session-${i}-prints\n`] : []);
  });
  const ids = turns.map((turn) => messageIds(turn));
  assertEquals(new Set(ids.flat()).size, ids.flat().length, "two sessions share a message id");
});

function messageIds({ updates }: Turn): string[] {
  return [...new Set(updates.filter(isChunk).map((u) => u.messageId!))];
}

/** Requests that make no sense, each in its own way. */
function junk(i: number, id: number): Message {
  const kinds: Message[] = [
    { method: `_junk/${i}`, params: {} },
    { method: `junk${i}`, params: { deep: [[[[{}]]]] } },
    { method: "session/prompt", params: { sessionId: `never-${i}`, prompt: [] } },
    { method: "session/prompt", params: { prompt: "not a list" } },
    { method: "session/new", params: { cwd: 5 } },
    { method: "session/load", params: { sessionId: "x".repeat(9_000), cwd: "/", mcpServers: [] } },
    { method: "session/set_mode", params: { sessionId: null } },
    { method: "session/set_config_option", params: {} },
  ];
  return { id, ...kinds[i % kinds.length]! };
}

onStage("junk requests are refused one by one, and disturb no turn", {}, async (stage) => {
  const { agent } = stage;
  const session = await stage.session();
  await session.run(script(["text", "warm"]));
  const before = memoryOf(agent.pid, "VmRSS");
  const turn = await session.begin(script(["text", "kept "], ["gate", "junk"], ["text", "whole"]));
  await turn.until(isChunk, "the first words");

  const requests = Array.from({ length: 200 }, (_, i) => junk(i, agent.newId()));
  const notes = requests.map(({ id }): Message => ({ method: `$/unknown_${id}`, params: { id } }));
  await agent.write(...requests.flatMap((request, i) => [request, notes[i]!]));
  for (const { id } of requests) {
    const { error } = await agent.response(id!);
    assert([-32601, -32602, -32002].includes(error?.code ?? 0), JSON.stringify(error));
  }
  const growth = memoryOf(agent.pid, "VmRSS") - before;
  assert(growth < GROWTH, `the agent grew by ${growth} KiB`);

  stage.model.open("junk");
  const { stopReason, updates } = await turn.end();
  assertEquals([stopReason, textOf(updates)], ["end_turn", "kept whole"]);
  assertEquals((await session.run(script(["text", "next"]))).stopReason, "end_turn");
});
