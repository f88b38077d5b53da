import { assert, assertEquals, assertMatch } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { hostile, serverCommand, sessionWith } from "../support/mcp.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf } from "../support/updates.ts";
import type { Fields, Message } from "../support/wire.ts";

const PLAIN = { client: plainCapabilities };
const say = script(["tool", "mcp__h__say", { said: "done" }], ["text", "ok"]);

/** Answers each question with an option of this kind; collects the questions. */
function answering(stage: Stage, kind: string): Message[] {
  const asked: Message[] = [];
  stage.agent.onRequest = (request) => {
    asked.push(request);
    const options = request.params?.options as { optionId: string; kind: string }[];
    const optionId = options.find((o) => o.kind === kind)?.optionId ?? "none";
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
  return asked;
}

async function statusOf(session: Session): Promise<unknown> {
  return cardsOf((await session.run(say)).updates).map((card) => card.status).join();
}

async function sessionIn(stage: Stage, preset: string, server: Fields = hostile("h")): Promise<Session> {
  const session = await sessionWith(stage, [server]);
  const choice = { sessionId: session.id, configId: "permission", value: preset };
  await stage.agent.call("session/set_config_option", choice);
  return session;
}

onStage("a question names server, tool and arguments, and what always would store", PLAIN, async (stage) => {
  const asked = answering(stage, "reject_once");
  const session = await sessionIn(stage, "workspace");
  const secretive = { said: "x".repeat(40_000), path: "/etc/4711" };
  const { updates } = await session.run(script(["tool", "mcp__h__say", secretive], ["text", "ok"]));
  assertEquals(cardsOf(updates).map((c) => c.status), ["failed"]);
  const { toolCall, options } = asked[0]!.params as { toolCall: Fields; options: Fields[] };
  const text = (toolCall.content as Fields[]).map((c) => contentText([c.content])).join("\n");
  assertEquals(toolCall.title, "`h` · `say`");
  assertMatch(text, /Call the tool `say` of the MCP server `h`\?/);
  assertMatch(text, /"said": "xxx[\s\S]*left out[\s\S]*4711/);
  assertMatch(text, /"Always" means: Always allow the tool `say` of the MCP server `h` in this workspace\./);
  assertEquals(options.map((o) => o.kind), ["allow_once", "allow_always", "reject_once"]);
  assert(JSON.stringify(asked[0]).length < 64 * 1024);
});

onStage("read-only asks at each call and offers no always", PLAIN, async (stage) => {
  const asked = answering(stage, "allow_once");
  const session = await sessionIn(stage, "read-only");
  assertEquals([await statusOf(session), await statusOf(session), asked.length], [
    "completed",
    "completed",
    2,
  ]);
  const kinds = asked.map((m) => (m.params?.options as Fields[]).map((o) => o.kind));
  assertEquals(kinds, Array(2).fill(["allow_once", "reject_once"]));
});

for (const preset of ["confirm", "workspace"]) {
  onStage(
    `${preset} asks once for a tool that is allowed for always, and for each other one`,
    PLAIN,
    async (stage) => {
      const asked = answering(stage, "allow_always");
      const session = await sessionIn(stage, preset);
      assertEquals([await statusOf(session), await statusOf(session), asked.length], [
        "completed",
        "completed",
        1,
      ]);
      await session.run(script(["tool", "mcp__h__empty", {}], ["text", "ok"]));
      assertEquals(asked.length, 2);
      // Kept for the workspace: another session is not asked; another server's tool of the same name is.
      assertEquals([await statusOf(await sessionIn(stage, preset)), asked.length], ["completed", 2]);
      const other = await sessionIn(stage, preset, hostile("other"));
      await other.run(script(["tool", "mcp__other__say", { said: "x" }], ["text", "ok"]));
      assertEquals(asked.length, 3);
    },
  );
}

onStage(
  "full-access never asks, and what a server says of its tools removes no question elsewhere",
  PLAIN,
  async (stage) => {
    const asked = answering(stage, "reject_once");
    assertEquals([await statusOf(await sessionIn(stage, "full-access")), asked.length], ["completed", 0]);
    // Each tool of this server is annotated as read-only and harmless.
    assertEquals([await statusOf(await sessionIn(stage, "workspace")), asked.length], ["failed", 1]);
  },
);

onStage(
  "a server that the config trusts is not asked about in workspace, but elsewhere",
  PLAIN,
  async (stage) => {
    const config = `${stage.root}/config.jsonc`;
    const open = async (preset: string): Promise<Session> => {
      const session = await stage.session();
      const choice = { sessionId: session.id, configId: "permission", value: preset };
      await stage.agent.call("session/set_config_option", choice);
      return session;
    };
    for (const [trust, counts] of [[true, [0, 1, 1]], [false, [1, 1, 1]]] as const) {
      await Deno.writeTextFile(
        config,
        JSON.stringify({ mcpServers: { h: { ...serverCommand("hostile"), trust } } }),
      );
      await stage.start({ client: plainCapabilities, env: { DSH_CONFIG: config } });
      const asked = answering(stage, "allow_once");
      for (const [i, preset] of ["workspace", "confirm", "read-only"].entries()) {
        asked.length = 0;
        assertEquals(
          [await statusOf(await open(preset)), asked.length],
          ["completed", counts[i]],
          `${trust} ${preset}`,
        );
      }
    }
  },
);

onStage("rules of the config come first", PLAIN, async (stage) => {
  const config = `${stage.root}/config.jsonc`;
  const rules = { allow: ["mcp:h/say"], ask: ["mcp:h/link"], deny: ["mcp:h/env"] };
  const servers = { h: { ...serverCommand("hostile"), trust: true } };
  await Deno.writeTextFile(config, JSON.stringify({ rules, mcpServers: servers }));
  await stage.start({ client: plainCapabilities, env: { DSH_CONFIG: config, DSH_PRESET: "confirm" } });
  const asked = answering(stage, "allow_once");
  const session = await stage.session();
  const { updates } = await session.run(script(
    ["tool", "mcp__h__say", { said: "x" }],
    ["tool", "mcp__h__link", {}],
    ["tool", "mcp__h__env", {}],
    ["text", "ok"],
  ));
  assertEquals(cardsOf(updates).map((c) => c.status), ["completed", "completed", "failed"]);
  assertEquals(asked.length, 1);
});
