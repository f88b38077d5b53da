import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { AgentProcess, programCommand } from "../support/agent.ts";
import { terminalCapabilities } from "../support/capabilities.ts";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import { initializeParams, type Stage } from "../support/stage.ts";
import { alterDatabase, databaseOf } from "../support/stored.ts";
import { cardsOf, onlyCard, terminalText, textOf } from "../support/updates.ts";

onEmptyStage(
  "a state folder that cannot be written: sessions work and end with the agent",
  {},
  async (stage) => {
    const file = await stage.write("not-a-folder", "");
    await stage.start({ env: { DSH_STATE_DIR: `${file}/state` } });
    const session = await stage.session();
    const first = await session.run(
      script(["bash", "echo x > $TMPDIR/x && cat $TMPDIR/x"], ["text", "done"]),
    );
    assertMatch(textOf(first.updates), /cannot be kept[\s\S]*done$/);
    assertEquals(terminalText(first.updates, onlyCard(first.updates).id), "x\n");
    const second = await session.run(script(["text", "again"]));
    assertEquals(textOf(second.updates), "again", "it is said once");
    const { sessions } = await stage.agent.call("session/list", {});
    assertEquals((sessions as { sessionId: string }[]).map((s) => s.sessionId), [session.id]);
    await stage.agent.call("session/close", { sessionId: session.id });
    const loaded = await stage.load(session.id);
    assertEquals((await loaded.run(script(["text", "on"]))).stopReason, "end_turn");
    await stage.stop();
    assertEquals(namesIn(stage.tempDir), [], "nothing is left");
  },
);

onStage(
  "a store that is no database is kept aside, the user is told, and sessions go on",
  {},
  async (stage) => {
    const old = await stage.session();
    await old.run(script(["text", "lost"]));
    await stage.stop();
    await Deno.writeTextFile(databaseOf(stage.stateDir), "junk ".repeat(2000));

    const log = `${stage.root}/log`;
    await stage.start({ args: ["--log-level", "warn", "--log-file", log] });
    assertEquals(await stage.agent.call("session/list", {}), { sessions: [] });
    const load = { sessionId: old.id, cwd: stage.workspace, mcpServers: [] };
    assertEquals((await stage.agent.refusal("session/load", load)).code, -32002);
    const session = await stage.session();
    const [first, second] = [
      await session.run(script(["text", "on"])),
      await session.run(script(["text", "on"])),
    ];
    const kept = namesIn(stage.stateDir).filter((name) => name.includes(".damaged-"));
    assertEquals(kept.length, 1);
    assertStringIncludes(textOf(first.updates), kept[0]!);
    assertEquals(textOf(second.updates), "on");
    assertStringIncludes(await Deno.readTextFile(log), kept[0]!);
    await stage.stop();
    await stage.start();
    await stage.load(session.id);
  },
);

onStage("a store of a newer version is refused in words, and is not touched", {}, async (stage) => {
  const old = await stage.session();
  await old.run(script(["text", "ok"]));
  await stage.stop();
  alterDatabase(stage.stateDir, "PRAGMA user_version = 99");
  const before = await Deno.readFile(databaseOf(stage.stateDir));
  await stage.start();
  const session = await stage.session();
  for (let tries = 0; tries < 2; tries++) {
    const { error } = (await session.prompt("hello")).answer;
    assertEquals(error?.code, -32603);
    assertMatch(error!.message, /newer version/);
  }
  assertEquals((await stage.agent.refusal("session/list", {})).code, -32603);
  await stage.stop();
  assertEquals(await Deno.readFile(databaseOf(stage.stateDir)), before);
});

onStage(
  "a session that cannot be read is refused in words; the others are as they were",
  {},
  async (stage) => {
    const [bad, newer, good] = [await stage.session(), await stage.session(), await stage.session()];
    for (const session of [bad, newer, good]) await session.run(script(["text", "kept"]));
    await stage.stop();
    const change = "UPDATE events SET event = ? WHERE session = ? AND seq = 4";
    alterDatabase(stage.stateDir, change, '{"type":"te', bad.id);
    alterDatabase(stage.stateDir, change, '{"type":"mood.set"}', newer.id);

    const agent = await stage.start();
    const refusal = (sessionId: string, method: string) =>
      agent.refusal(method, { sessionId, cwd: stage.workspace, mcpServers: [] });
    for (const method of ["session/load", "session/resume", "session/fork"]) {
      assertMatch((await refusal(bad.id, method)).message, /event 4 is damaged.*sessions export/);
      assertMatch((await refusal(newer.id, method)).message, /newer version.*mood\.set/);
    }
    const { sessions } = await agent.call("session/list", {});
    assertEquals((sessions as unknown[]).length, 3);
    await (await stage.load(good.id)).run(script(["text", "on"]));
    for (const { id } of [bad, newer]) {
      assertEquals(
        await agent.call("session/delete", { sessionId: id }),
        {},
      );
    }
    assertEquals(((await agent.call("session/list", {})).sessions as unknown[]).length, 1);
  },
);

/** Starts an agent whose files may not grow beyond `kib`; the limit can be lifted while it runs. */
async function limited(stage: Stage, kib: number): Promise<AgentProcess> {
  const command = ["bash", "-c", `trap '' XFSZ; ulimit -S -f ${kib}; exec "$@"`, "bash", ...programCommand()];
  const agent = new AgentProcess({ env: stage.environment(), marker: `HOME=${stage.home}`, command });
  await agent.call("initialize", initializeParams(terminalCapabilities));
  return agent;
}

onEmptyStage(
  "a full disk fails the prompt in words; the session goes on when there is room",
  {},
  async (stage) => {
    await using agent = await limited(stage, 400);
    const { sessionId } = await agent.call("session/new", { cwd: stage.workspace, mcpServers: [] });
    const session = new Session(agent, String(sessionId), stage.workspace);
    const big = "word ".repeat(20_000);
    let failed = (await session.prompt(`${big}\n${script(["text", "ok"])}`)).answer;
    for (let tries = 0; tries < 20 && !failed.error; tries++) {
      failed = (await session.prompt(`${big}\n${script(["text", "ok"])}`)).answer;
    }
    assertEquals(failed.error?.code, -32603);
    assertMatch(failed.error!.message, /cannot be written.*Free some space/);
    assert((await session.prompt(`${big}\n${script(["text", "ok"])}`)).answer.error, "still full");

    const lifted = await new Deno.Command("prlimit", { args: ["--pid", `${agent.pid}`, "--fsize=unlimited"] })
      .output();
    assert(lifted.success);
    const turn = await session.run(script(["bash", "echo back"], ["text", "on"]));
    assertEquals([textOf(turn.updates), cardsOf(turn.updates)[0]?.status], ["on", "completed"]);
    await agent.call("session/close", { sessionId });
    await agent.call("session/load", { sessionId, cwd: stage.workspace, mcpServers: [] });
    await session.run(script(["text", "loaded"]));
  },
);
