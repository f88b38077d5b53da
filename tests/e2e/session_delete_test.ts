import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists, namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { chunkText } from "../support/updates.ts";

onStage("session/delete removes a live session with all its files", {}, async (stage) => {
  const [session, other] = [await stage.session(), await stage.session()];
  for (const s of [session, other]) await s.run(script(["bash", "echo x > $TMPDIR/left"], ["text", "ok"]));
  const turn = await session.begin(script(["text", "half a word-to-forget"], ["stall"]));
  await turn.until((u) => chunkText(u) !== "");
  assertEquals(await stage.agent.call("session/delete", { sessionId: session.id }), {});
  assertEquals((await turn.end()).stopReason, "cancelled");

  const { sessions } = await stage.agent.call("session/list", {});
  assertEquals((sessions as { sessionId: string }[]).map((s) => s.sessionId), [other.id]);
  assertEquals(namesIn(`${stage.stateDir}/tmp`), [other.id]);
  assertEquals(namesIn(`${stage.stateDir}/locks`), [`${other.id}.lock`]);
  const load = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  assertEquals((await stage.agent.refusal("session/load", load)).code, -32002);
  assertEquals((await session.prompt("hello")).answer.error?.code, -32002);
  await other.run(script(["text", "on"]));
  await stage.stop();
  for (const name of namesIn(stage.stateDir).filter((n) => n.startsWith("sessions"))) {
    const text = new TextDecoder("latin1").decode(await Deno.readFile(`${stage.stateDir}/${name}`));
    assert(!text.includes("word-to-forget"), `${name} still holds what was deleted`);
  }
});

onStage("session/delete removes a stored session, and is silent about unknown ones", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "ok"]));
  await stage.stop();
  const agent = await stage.start();
  const ids = [session.id, session.id, "never", "../../x", `sess_${"0".repeat(32)}`];
  for (const sessionId of ids) assertEquals(await agent.call("session/delete", { sessionId }), {});
  assertEquals(await agent.call("session/list", {}), { sessions: [] });
  assertEquals(namesIn(`${stage.stateDir}/locks`), []);
});

onStage("session/delete of a session that was never prompted ends it", {}, async (stage) => {
  const session = await stage.session();
  assertEquals(await stage.agent.call("session/delete", { sessionId: session.id }), {});
  assertEquals((await session.prompt("hello")).answer.error?.code, -32002);
});

onStage("session/delete refuses a session that another process holds", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["bash", "echo x > $TMPDIR/kept"], ["text", "held"]));
  const second = await stage.start();
  const error = await second.refusal("session/delete", { sessionId: session.id });
  assertMatch(error.message, /another process/);
  assertStringIncludes(error.message, session.id);
  assert(exists(`${stage.stateDir}/tmp/${session.id}/kept`));
  await session.run(script(["text", "still mine"]));
});
