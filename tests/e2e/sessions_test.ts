import { assert, assertEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import { cardsOf, onlyCard, terminalText, textOf } from "../support/updates.ts";

// Names that no hexadecimal id can hold.
const NAMES = ["kim", "lou", "rik", "suz", "tom", "zoe"];

onStage("sessions that run at the same time do not mix", {}, async (stage) => {
  const sessions = await Promise.all(NAMES.map(async (name) => {
    await stage.write(`${name}/name.txt`, name);
    return await stage.session(stage.path(name));
  }));
  const turns = await Promise.all(sessions.map((session, i) =>
    session.run(script(
      ["think", `${NAMES[i]} thinks`, { chunks: 5, ms: 5 }],
      ["bash", "pwd; cat name.txt; sleep 0.2; cat name.txt"],
      ["text", `${NAMES[i]} says`, { chunks: 5, ms: 5 }],
    ))
  ));
  turns.forEach(({ updates }, i) => {
    const [name, cwd] = [NAMES[i]!, sessions[i]!.cwd];
    assertEquals(textOf(updates, "agent_thought_chunk"), `${name} thinks`);
    assertEquals(textOf(updates), `${name} says`);
    assertEquals(terminalText(updates, onlyCard(updates).id), `${cwd}\n${name}${name}`);
    const others = NAMES.filter((other) => other !== name);
    assert(!others.some((other) => JSON.stringify(updates).includes(other)), `${name} saw another's update`);
  });
});

onStage("two agents on one state folder do not get in each other's way", {}, async (stage) => {
  const agents = [stage.agent, await stage.start()];
  const results = await Promise.all(agents.map(async (agent, i) => {
    const { sessionId } = await agent.call("session/new", { cwd: stage.workspace, mcpServers: [] });
    const session = new Session(agent, String(sessionId), stage.workspace);
    for (let round = 0; round < 5; round++) {
      await session.run(script(["bash", `echo ${i}`], ["text", `${round}`]));
    }
    return textOf(agent.updatesOf(session.id));
  }));
  assertEquals(results, ["01234", "01234"]);
});

onStage("a folder that vanishes under a session fails its calls, not the session", {}, async (stage) => {
  const cwd = stage.path("short-lived");
  await Deno.mkdir(cwd);
  const session = await stage.session(cwd);
  await session.run(script(["bash", "echo 1"], ["text", "ok"]));
  await Deno.remove(cwd);
  const gone = await session.run(script(["bash", "echo 2"], ["tool", "read", { path: "x" }], ["text", "on"]));
  assertEquals(cardsOf(gone.updates).map((card) => card.status), ["failed", "failed"]);
  assertHas(JSON.stringify(stage.model.lastCall.messages), cwd);
  await Deno.mkdir(cwd);
  const back = await session.run(script(["bash", "echo 3"], ["text", "ok"]));
  assertEquals(terminalText(back.updates, onlyCard(back.updates).id), "3\n");
});
