import { assert, assertEquals } from "@std/assert";
import { fixture } from "../support/compare_transcripts.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { ModelCall } from "../support/model_server.ts";
import type { Stage } from "../support/stage.ts";
import type { Fields } from "../support/wire.ts";

/** Bytes of the first request at most, without instructions: they are paid for with every session. */
const MAX_REQUEST = 12 * 1024;
const PRESETS = ["read-only", "confirm", "workspace", "full-access"];

onStage("what the model is told before anything is asked", {}, async (stage, t) => {
  const session = await stage.session();
  await session.run("Hello");
  const first = stage.model.lastCall;

  await t.step(`takes at most ${MAX_REQUEST} bytes`, () => {
    const bytes = new TextEncoder().encode(first.text).length;
    assert(bytes <= MAX_REQUEST, `${bytes} bytes`);
  });

  await t.step("of its tools is as in fixtures/model-texts/tools.json", async () => {
    const { tools } = first.body;
    assertEquals(await fixture("model-texts/tools.json", json(tools)), json(tools));
  });

  for (const preset of PRESETS) {
    await t.step(`with the preset ${preset} is as in fixtures/model-texts/${preset}.txt`, async () => {
      const other = await stage.session();
      const value = { sessionId: other.id, configId: "permission", value: preset };
      await stage.agent.call("session/set_config_option", value);
      await other.run("Hello");
      const prompt = promptIn(stage.model.lastCall, stage);
      assertEquals(prompt, await fixture(`model-texts/${preset}.txt`, prompt));
      assertEquals(stage.model.lastCall.body.tools, first.body.tools, "the tools are the same ones");
    });
  }

  for (const write of [false, true]) {
    const name = write ? "sub-agent-that-writes" : "sub-agent";
    await t.step(`as a ${name.replaceAll("-", " ")} is as in fixtures/model-texts/${name}.txt`, async () => {
      await session.run(script(["tool", "subagent", { task: "Hello", write }], ["text", "ok"]));
      const child = stage.model.calls.findLast((call) =>
        promptIn(call, stage).startsWith("You are a sub-agent")
      )!;
      const names = (child.body.tools as Fields[]).map((tool) => (tool.function as Fields).name);
      const told = `${promptIn(child, stage)}\nTools: ${names.join(", ")}\n`;
      assertEquals(told, await fixture(`model-texts/${name}.txt`, told));
    });
  }
});

/** The system prompt, without what differs from run to run and from machine to machine. */
function promptIn(call: ModelCall, stage: Stage): string {
  const prompt = contentText(call.messages[0]?.content).replaceAll(stage.root, "$ROOT");
  return prompt.replace(/^(Temporary files: ).* \(/m, "$1$$TMPDIR (").replace(/^System: .*/m, "System: $$OS")
    .replace(/^Date: .*/m, "Date: $$DATE") + "\n";
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}
