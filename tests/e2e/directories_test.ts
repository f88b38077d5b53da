import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "../support/files.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

/** Two folders beside the workspace. */
async function folders(stage: Stage): Promise<[string, string]> {
  const [one, two] = [`${stage.root}/one`, `${stage.root}/two words`];
  for (const folder of [one, two]) await Deno.mkdir(folder);
  return [one, two];
}

async function open(stage: Stage, roots: string[]): Promise<Session> {
  const params = { cwd: stage.workspace, mcpServers: [], additionalDirectories: roots };
  const { sessionId } = await stage.agent.call("session/new", params);
  return new Session(stage.agent, String(sessionId), stage.workspace);
}

/** Tries to write into each folder, by a command and by the tool; true where both did, false where none did. */
async function writable(session: Session, folders: string[]): Promise<boolean[]> {
  const tried = [];
  for (const folder of folders) {
    const [byBash, byTool] = [`${folder}/by-bash`, `${folder}/by-tool`];
    const { updates } = await session.run(
      script(["bash", `echo x > '${byBash}'`], ["tool", "write", { path: byTool, content: "x" }], [
        "text",
        "-",
      ]),
    );
    const done = cardsOf(updates).map((card) => card.status === "completed");
    assertEquals(done, [exists(byBash), exists(byTool)]);
    assertEquals(done[0], done[1], folder);
    for (const path of [byBash, byTool]) await Deno.remove(path).catch(() => {});
    tried.push(done[0]!);
  }
  return tried;
}

onStage("further folders are part of the workspace, others are not", {}, async (stage) => {
  const [one, two] = await folders(stage);
  const session = await open(stage, [one, two]);
  assertEquals(await writable(session, [stage.workspace, one, two, stage.outside]), [
    true,
    true,
    true,
    false,
  ]);
  const system = contentText(stage.model.lastCall.messages[0]?.content);
  for (const folder of [one, two]) assertStringIncludes(system, folder);
  const { sessions } = await stage.agent.call("session/list", {});
  assertEquals((sessions as Fields[])[0]?.additionalDirectories, [one, two]);
});

onStage("further folders are those of the last load, resume or fork", {}, async (stage) => {
  const [one, two] = await folders(stage);
  const session = await open(stage, [one]);
  await session.run(script(["text", "ok"]));
  const params = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  await stage.stop();
  await stage.start();
  await stage.agent.call("session/load", params);
  const loaded = new Session(stage.agent, session.id, stage.workspace);
  assertEquals(await writable(loaded, [one, two]), [false, false], "absent means none");
  assert(!contentText(stage.model.lastCall.messages[0]?.content).includes(one));
  await stage.agent.call("session/resume", { ...params, additionalDirectories: [two] });
  assertEquals(await writable(loaded, [one, two]), [false, true], "also while it is live");
  const { sessionId } = await stage.agent.call("session/fork", { ...params, additionalDirectories: [one] });
  const forked = new Session(stage.agent, String(sessionId), stage.workspace);
  assertEquals(await writable(forked, [one, two]), [true, false]);
  const plain = await stage.agent.call("session/fork", params);
  const none = new Session(stage.agent, String(plain.sessionId), stage.workspace);
  assertEquals(await writable(none, [one, two]), [false, false]);
});

onStage("a further folder follows the preset", {}, async (stage) => {
  const [one] = await folders(stage);
  const session = await open(stage, [one]);
  await stage.agent.call("session/set_mode", { sessionId: session.id, modeId: "read-only" });
  const { updates } = await session.run(script(["bash", `echo x > ${one}/a`], ["text", "ok"]));
  assertEquals([cardsOf(updates)[0]?.status, exists(`${one}/a`)], ["failed", false]);
});

onStage("a further folder that is none is refused by its name", { files: { "file": "" } }, async (stage) => {
  const session = await open(stage, []);
  await session.run(script(["text", "ok"]));
  const params = { sessionId: session.id, cwd: stage.workspace, mcpServers: [] };
  for (const method of ["session/new", "session/load", "session/resume", "session/fork"]) {
    for (const bad of ["rel/ative", ".", stage.path("missing"), stage.path("file")]) {
      const additionalDirectories = [stage.outside, bad];
      const error = await stage.agent.refusal(method, { ...params, additionalDirectories });
      assertEquals(error.code, -32602, `${method} ${bad}`);
      assertStringIncludes(error.message, bad);
    }
  }
  assertEquals(await writable(session, [stage.outside]), [false], "the refused ones changed nothing");
});
