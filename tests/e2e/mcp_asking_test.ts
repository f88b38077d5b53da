import { assert, assertEquals, assertMatch } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { hostile, sessionWith, stdioServer } from "../support/mcp.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { textOf } from "../support/updates.ts";
import { eventually, pause } from "../support/waiting.ts";
import type { Fields, Message } from "../support/wire.ts";

const FREE = { DSH_PRESET: "full-access" };
const ASKABLE = { client: { elicitation: { form: {}, url: {} } }, env: FREE };
const results = (stage: Stage) =>
  stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) => contentText(m.content));
const form = (message: string, field = "colour") =>
  script(["tool", "mcp__h__form", { message, field }], ["text", "ok"]);

function answering(stage: Stage, result: Fields): Message[] {
  const asked: Message[] = [];
  stage.agent.onRequest = (request) => {
    asked.push(request);
    return { result };
  };
  return asked;
}

onStage(
  "a server's form is put to the user, in its name, and the answer goes back",
  ASKABLE,
  async (stage) => {
    const session = await sessionWith(stage, [hostile("h")]);
    const asked = answering(stage, { action: "accept", content: { colour: "green", sneaked: "in" } });
    await session.run(form("Which colour?"));
    assertEquals(JSON.parse(results(stage)[0]!), { action: "accept", content: { colour: "green" } });
    const { mode, message, toolCallId, requestedSchema } = asked[0]!.params!;
    assertEquals([mode, message], ["form", "The MCP server h asks: Which colour?"]);
    assert(toolCallId);
    assertEquals((requestedSchema as Fields).properties, { colour: { type: "string" } });
    for (const action of ["decline", "cancel"]) {
      answering(stage, { action });
      await session.run(form("Which colour?"));
      assertEquals(JSON.parse(results(stage).at(-1)!), { action });
    }
  },
);

onStage("a form that asks for a secret is declined without a question", ASKABLE, async (stage) => {
  const session = await sessionWith(stage, [hostile("h")]);
  const asked = answering(stage, { action: "accept", content: { api_key: "x", colour: "x" } });
  for (const [message, field] of [["Enter your password", "colour"], ["Please fill in", "api_key"]]) {
    await session.run(form(message!, field));
    assertEquals(JSON.parse(results(stage).at(-1)!), { action: "decline" });
  }
  assertEquals(asked, []);
});

onStage("a page is put to the user, and told to be over when the server says so", ASKABLE, async (stage) => {
  const session = await sessionWith(stage, [hostile("h")]);
  const asked = answering(stage, { action: "accept" });
  await session.run(script(["tool", "mcp__h__page", {}], ["text", "ok"]));
  assertEquals(JSON.parse(results(stage)[0]!).action, "accept");
  const { mode, url, elicitationId } = asked[0]!.params!;
  assertEquals([mode, url], ["url", "https://example.com/login"]);
  await eventually(
    "the page is told to be over",
    () =>
      stage.agent.frames.some(({ message: m }) =>
        m.method === "elicitation/complete" && m.params?.elicitationId === elicitationId
      ),
  );
});

onStage(
  "a client that cannot be asked declares so to its servers",
  { client: plainCapabilities, env: FREE },
  async (stage) => {
    const session = await sessionWith(stage, [hostile("h"), stdioServer("every", "everything", ["stdio"])]);
    await session.run(form("Which colour?"));
    assertEquals(results(stage), ['"refused"']);
    const names = (stage.model.lastCall.body.tools as { function: { name: string } }[]).map((t) =>
      t.function.name
    );
    assert(!names.some((name) => name.includes("elicitation")));
  },
);

onStage(
  "the reference server sees what the client has declared, and its forms come through whole",
  ASKABLE,
  async (stage) => {
    const session = await sessionWith(stage, [stdioServer("every", "everything", ["stdio"])]);
    const asked = answering(stage, {
      action: "accept",
      content: { name: "Ada", check: true, integer: 7, titledSingleSelectEnum: "hero-2" },
    });
    await session.run(script(["tool", "mcp__every__trigger-elicitation-request", {}], ["text", "ok"]));
    assertMatch(results(stage)[0]!, /Ada/);
    const { properties } = asked[0]!.params!.requestedSchema as { properties: Record<string, Fields> };
    assert(Object.keys(properties).length > 10);
    assertEquals((properties.titledSingleSelectEnum!.oneOf as Fields[])[1]!.const, "hero-2");
  },
);

onStage("sampling is refused in clear words; roots are the session's directories", ASKABLE, async (stage) => {
  const roots = [stage.workspace, stage.outside];
  const { sessionId } = await stage.agent.call("session/new", {
    cwd: stage.workspace,
    additionalDirectories: [stage.outside],
    mcpServers: [hostile("h")],
  });
  const session = new Session(stage.agent, sessionId as string, stage.workspace);
  await session.run(script(["tool", "mcp__h__sample", {}], ["tool", "mcp__h__roots", {}], ["text", "ok"]));
  const [sample, listed] = results(stage);
  assertMatch(sample!, /-32601.*no access to its model/);
  assertEquals(JSON.parse(listed!).roots.map((r: Fields) => r.uri), roots.map((path) => `file://${path}`));
});

onStage("prompts of servers are commands, and what is typed behind them their arguments", {
  client: plainCapabilities,
  env: FREE,
}, async (stage) => {
  const { agent, model } = stage;
  const session = await sessionWith(stage, [hostile("h"), stdioServer("every", "everything", ["stdio"])]);
  const told = () =>
    agent.updatesOf(session.id).findLast((u) => u.sessionUpdate === "available_commands_update") as
      | { availableCommands: Fields[] }
      | undefined;
  const command = (name: string) => told()?.availableCommands.find((c) => c.name === name);
  await eventually(
    "they are told of",
    () => command("h:review") !== undefined && command("every:args-prompt") !== undefined,
  );
  assertEquals(command("h:review")!.input, { hint: "<file> [words]" });
  assertEquals(command("mcp")!.input, { hint: "restart NAME" });
  await session.run("/h:review a.ts all of it");
  const asked = () => contentText(model.lastCall.messages.findLast((m) => m.role === "user")?.content);
  assertEquals(asked(), 'Review with {"file":"a.ts","words":"all of it"}');
  await session.run("/every:args-prompt Oslo");
  assertEquals(asked(), "What's weather in Oslo?");
  const { answer } = await session.prompt("/h:review");
  assertMatch(String(answer.error?.message), /needs: file/);
  const stuck = await session.begin("/h:stuck");
  await pause(50);
  await session.cancel();
  assertEquals((await stuck.end()).stopReason, "cancelled");
  assert(command("h:late") === undefined);
  await session.run(script(["tool", "mcp__h__grow", {}], ["text", "ok"]));
  await eventually("the new one is told of", () => command("h:late") !== undefined);
  const { updates } = await session.run("/mcp");
  assertMatch(textOf(updates), /`h` \(stdio\): ready, \d+ tools, 3 prompts/);
});
