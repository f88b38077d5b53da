import { assert, assertEquals } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, terminalText, textOf } from "../support/updates.ts";

const NAMES = ["ada", "bob", "cyd", "dee", "eve", "fay"];

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
