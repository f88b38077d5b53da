import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { editorFiles } from "../support/editor.ts";
import { freePort, serveEverything, serverCommand, sessionWith, stdioServer } from "../support/mcp.ts";
import { contentText, isPictures, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf, joinChunks, onlyCard, textOf, toolContent, toolText } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

const FREE = { DSH_PRESET: "full-access" };
const results = (stage: Stage) =>
  stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) => contentText(m.content));
const toolNames = (stage: Stage) =>
  (stage.model.lastCall.body.tools as { function: { name: string } }[]).map((t) => t.function.name);

/** Goes through what the reference server can do. */
async function tour(stage: Stage, server: Fields): Promise<void> {
  const session = await sessionWith(stage, [server]);
  const { updates } = await session.run(script(
    ["tool", "mcp__every__echo", { message: "4711" }],
    ["tool", "mcp__every__get-sum", { a: 2, b: 40 }],
    ["tool", "mcp__every__get-structured-content", { location: "Chicago" }],
    ["tool", "mcp__every__get-tiny-image", {}],
    ["tool", "mcp__every__get-resource-reference", { resourceType: "Text", resourceId: 1 }],
    ["tool", "mcp__every__trigger-long-running-operation", { duration: 0.4, steps: 4 }],
    ["tool", "mcp_resource", { server: "every" }],
    ["tool", "mcp__every__echo", { message: 5 }],
    ["text", "ok"],
  ));
  const [echo, sum, structured, image, resource, long, list, wrong] = results(stage);
  assertEquals(echo, "Echo: 4711");
  assertStringIncludes(sum!, "42");
  assertStringIncludes(structured!, "temperature");
  assertMatch(image!, /\[image 1: image\/png, \d+ bytes\]/);
  assertStringIncludes(resource!, "[resource demo://resource/dynamic/text/1]");
  assertStringIncludes(long!, "completed");
  assertStringIncludes(list!, "demo://resource");
  assertMatch(wrong!, /message/);
  const pictures = stage.model.lastCall.messages.filter(isPictures);
  assertEquals(pictures.length, 1);
  const cards = cardsOf(updates);
  const picture = toolContent(cards[3]!.last)[1]?.content as Fields | undefined;
  assertEquals([picture?.type, picture?.mimeType], ["image", "image/png"]);
  assert(JSON.stringify(pictures).includes(String(picture?.data)));
  assertEquals(cards.map((card) => card.status), [...Array(7).fill("completed"), "failed"]);
  assertEquals(cards[0]!.call.title, "`every` · `echo`");
  assertEquals([cards[0]!.call.kind, cards[0]!.call.rawInput], ["other", { message: "4711" }]);
  assertEquals(toolText(cards[0]!.last), "```\nEcho: 4711\n```");
  assert(cards[5]!.updates.some((u) => /%/.test(toolText(u))), "progress moves the card");
}

for (const kind of ["stdio", "http", "sse"] as const) {
  onStage(
    `the reference server can be used over ${kind}`,
    { client: plainCapabilities, env: FREE },
    async (stage) => {
      if (kind === "stdio") return await tour(stage, stdioServer("every", "everything", ["stdio"]));
      await using server = await serveEverything(kind);
      await tour(stage, { type: kind, name: "every", url: server.url, headers: [] });
    },
  );
}

onStage(
  "a link in a result says how the model reads it, and it can",
  { client: plainCapabilities, env: FREE },
  async (stage) => {
    const session = await sessionWith(stage, [stdioServer("every", "everything", ["stdio"])]);
    await session.run(script(["tool", "mcp__every__get-resource-links", { count: 2 }], ["text", "ok"]));
    const links = results(stage).at(-1)!;
    assertStringIncludes(links, '[mcp_resource reads a linked resource: server "every", and its uri.]');
    const uri = /\[resource (\S+) \(/.exec(links)![1]!;
    const { updates } = await session.run(
      script(["tool", "mcp_resource", { server: "every", uri }], ["text", "ok"]),
    );
    assertEquals([onlyCard(updates).status, onlyCard(updates).last.title], [
      "completed",
      `\`every\` · \`${uri}\``,
    ]);
  },
);

onStage(
  "the reference server for files works in its directory, and Zed draws its calls as cards",
  { client: zedCapabilities, env: FREE, files: { "a.txt": "in the workspace" } },
  async (stage) => {
    stage.agent.onRequest = editorFiles;
    const session = await sessionWith(stage, [stdioServer("files", "filesystem", [stage.workspace])]);
    const { updates } = await session.run(script(
      ["tool", "mcp__files__read_text_file", { path: stage.path("a.txt") }],
      ["tool", "mcp__files__read_text_file", { path: "/etc/passwd" }],
      ["text", "ok"],
    ));
    const [own, other] = cardsOf(updates);
    assertEquals(toolText(own!.last), "```\nin the workspace\n```");
    assertEquals([own!.status, other!.status], ["completed", "failed"]);
    assertMatch(results(stage)[1]!, /denied/);
  },
);

onStage(
  "servers of the config file are there in every session",
  { client: plainCapabilities },
  async (stage) => {
    const config = `${stage.root}/config.jsonc`;
    await Deno.writeTextFile(
      config,
      JSON.stringify({
        mcpServers: {
          every: { ...serverCommand("everything", "stdio"), trust: true },
          other: { ...serverCommand("hostile"), trust: true },
        },
      }),
    );
    await stage.start({ env: { DSH_CONFIG: config }, client: plainCapabilities });
    const session = await stage.session();
    await session.run(script(["tool", "mcp__every__echo", { message: "mine" }], ["text", "ok"]));
    assertEquals(results(stage), ["Echo: mine"]); // unasked, since it is trusted
    // The client's server of an equal name comes first, and is not the trusted one.
    const asked: string[] = [];
    stage.agent.onRequest = ({ method }) => {
      asked.push(method!);
      return { result: { outcome: { outcome: "selected", optionId: "allow_once" } } };
    };
    const mixed = await sessionWith(stage, [stdioServer("every", "hostile")]);
    await mixed.run(script(
      ["tool", "mcp__every__say", { said: "the client's" }],
      ["tool", "mcp__other__say", { said: "the config's" }],
      ["text", "ok"],
    ));
    assertEquals(results(stage), ["the client's", "the config's"]);
    assertEquals(asked, ["session/request_permission"]);
    assert(!toolNames(stage).includes("mcp__every__echo"));
  },
);

onStage(
  "a load shows calls as they were, without the server",
  { client: plainCapabilities, env: FREE },
  async (stage) => {
    const session = await sessionWith(stage, [stdioServer("every", "everything", ["stdio"])]);
    const { updates } = await session.run(script(
      ["tool", "mcp__every__trigger-long-running-operation", { duration: 0.2, steps: 2 }],
      ["tool", "mcp__every__echo", { message: "kept" }],
      ["tool", "mcp_resource", { server: "every", uri: "demo://resource/dynamic/text/1" }],
      ["text", "the end"],
    ));
    const bound = (all: typeof updates) =>
      joinChunks(
        all.filter((u) => ["tool_call", "tool_call_update", "agent_message_chunk"].includes(u.sessionUpdate)),
      );
    await stage.agent.call("session/close", { sessionId: session.id });
    const from = stage.agent.frames.length;
    await stage.load(session.id); // with no servers at all
    assertEquals(bound(stage.agent.updatesOf(session.id, from)), bound(updates));
    assertEquals(cardsOf(updates).map((c) => c.call.title).slice(1), [
      "`every` · `echo`",
      "`every` · `demo://resource/dynamic/text/1`",
    ]);
    const { updates: gone } = await session.run(
      script(["tool", "mcp__every__echo", { message: "x" }], ["text", "ok"]),
    );
    assertStringIncludes(toolText(onlyCard(gone).last), "There is no tool");
    assertStringIncludes(textOf(gone), "ok");
  },
);

onStage(
  "a server on the network that goes away and comes back is connected to anew",
  { client: plainCapabilities, env: FREE },
  async (stage) => {
    const port = freePort();
    const echo = (message: string) => script(["tool", "mcp__every__echo", { message }], ["text", "ok"]);
    const first = await serveEverything("http", port);
    const session = await sessionWith(stage, [{ type: "http", name: "every", url: first.url, headers: [] }]);
    await session.run(echo("one"));
    await first[Symbol.asyncDispose]();
    await session.run(echo("two"));
    assertMatch(results(stage).at(-1)!, /The MCP server every (cannot be reached|is down): /);
    await using _again = await serveEverything("http", port);
    await session.run(echo("three"));
    assertEquals(results(stage).at(-1), "Echo: three");
  },
);
