import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { cardsOf, terminalText, textOf } from "../support/updates.ts";

onStage("session/new", { files: { "a file.txt": "x" } }, async (stage, t) => {
  const { agent } = stage;
  const refusal = (cwd: unknown) => agent.refusal("session/new", { cwd, mcpServers: [] });

  await t.step("refuses a relative folder and names it", async () => {
    for (const cwd of ["relative/dir", ".", "~"]) {
      const error = await refusal(cwd);
      assertEquals(error.code, -32602);
      assertMatch(error.message, /absolute/i);
      assertStringIncludes(error.message, cwd);
    }
  });

  await t.step("refuses a folder that does not exist and names it", async () => {
    const error = await refusal(stage.path("missing"));
    assertEquals(error.code, -32602);
    assertMatch(error.message, /not exist|no such|missing|not found/i);
    assertStringIncludes(error.message, stage.path("missing"));
  });

  await t.step("refuses a file as folder and names it", async () => {
    const error = await refusal(stage.path("a file.txt"));
    assertEquals(error.code, -32602);
    assertMatch(error.message, /director|folder/i);
    assertStringIncludes(error.message, stage.path("a file.txt"));
  });

  await t.step("refuses what is no text", async () => {
    for (const cwd of [5, null, undefined, {}]) assertEquals((await refusal(cwd)).code, -32602);
  });

  await t.step("gives every session an id of its own", async () => {
    const sessions = [await stage.session(), await stage.session(), await stage.session()];
    assertEquals(new Set(sessions.map((s) => s.id)).size, 3);
  });

  await t.step("does not fail for MCP servers, and the user is told which were not started", async () => {
    const mcpServers = [
      { name: "broken", command: "/nonexistent/server", args: [], env: [] },
      { name: "other", command: "cat", args: ["-"], env: [{ name: "A", value: "b" }] },
    ];
    const { sessionId } = await agent.call("session/new", { cwd: stage.workspace, mcpServers });
    const prompt = [{ type: "text", text: script(["text", "fine"]) }];
    assertEquals((await agent.call("session/prompt", { sessionId, prompt })).stopReason, "end_turn");
    const updates = agent.updatesOf(sessionId as string);
    assertStringIncludes(textOf(updates), "fine");
    for (const { name } of mcpServers) assertStringIncludes(JSON.stringify(updates), name);
  });

  await t.step("is the only door: an unknown session is -32002 with its id", async () => {
    const error = await agent.refusal("session/prompt", { sessionId: "never", prompt: [] });
    assertEquals([error.code, error.data.sessionId], [-32002, "never"]);
    const malformed = await agent.refusal("session/prompt", { sessionId: 5, prompt: [] });
    assertEquals(malformed.code, -32602);
  });

  await t.step("takes a folder by a link, and calls files as the client does", async () => {
    await Deno.symlink(stage.workspace, `${stage.root}/link`);
    const session = await stage.session(`${stage.root}/link`);
    const { updates } = await session.run(
      script(["tool", "read", { path: "a file.txt" }], ["bash", "pwd -P"], ["text", "ok"]),
    );
    const [read, bash] = cardsOf(updates);
    assertEquals([read?.status, read?.call.locations?.[0]?.path], [
      "completed",
      `${stage.root}/link/a file.txt`,
    ]);
    assertEquals(terminalText(updates, bash!.id), `${stage.workspace}\n`);
  });

  await t.step("works in a folder with unusual characters", async () => {
    const cwd = stage.path("ünï cödé 'quoted' $(x)");
    await Deno.mkdir(cwd);
    const session = await stage.session(cwd);
    const turn = await session.run(script(["bash", "pwd"]));
    assert(JSON.stringify(turn.updates).includes(JSON.stringify(cwd).slice(1, -1)));
  });
});
