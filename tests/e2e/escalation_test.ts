import { assertEquals, assertMatch } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { exists } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, terminalText, toolText } from "../support/updates.ts";
import type { Fields, Message, Update } from "../support/wire.ts";

const WHY = "The packages are fetched from the server.";

/** Answers every question by the option of this kind. */
function answering(kind: string, asked: Message[]): (request: Message) => Answer {
  return (request) => {
    asked.push(request);
    const options = request.params?.options as { optionId: string; kind: string }[];
    const optionId = options.find((option) => option.kind === kind)?.optionId;
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
}

onStage("a command that the confinement stops", {}, async (stage, t) => {
  await Deno.mkdir(`${stage.home}/.ssh`);
  await Deno.writeTextFile(`${stage.home}/.ssh/id_ed25519`, "key");
  const session = await stage.session();
  const asked: Message[] = [];
  const fetchCommand = `curl -sS --max-time 5 ${stage.model.baseURL}/models`;
  const run = async (command: string, args: Fields = {}) => {
    const { updates } = await session.run(script(["bash", command, args], ["text", "ok"]));
    const card = onlyCard(updates);
    return { card, output: terminalText(updates, card.id), told: stage.model.told };
  };

  await t.step(
    "for want of network fails without a question, and the model reads what it may ask for",
    async () => {
      const { card, told, output } = await run(fetchCommand);
      assertEquals([card.status, asked.length], ["failed", 0]);
      assertMatch(
        told,
        /\n\[(Sandbox|Perhaps the sandbox is why): .*escalate: "network".*\]\n\[exit code: 7\]$/,
      );
      assertEquals(/Sandbox|sandbox/.test(output), false, "the hint is for the model");
    },
  );

  await t.step(
    "with `escalate: network` takes one question, shown with the command and the reason",
    async () => {
      stage.agent.onRequest = answering("allow_once", asked);
      const { card, output } = await run(fetchCommand, { escalate: "network", justification: WHY });
      assertEquals([card.status, output], ["completed", '{"object":"list","data":[]}']);
      assertEquals(asked.length, 1);
      const call = asked[0]!.params!.toolCall as Update;
      assertEquals(call.title, fetchCommand);
      assertEquals(call.rawInput, { command: fetchCommand, escalate: "network", justification: WHY });
      assertMatch(toolText(call), new RegExp(WHY));
    },
  );

  await t.step("keeps the rules for files with the network open", async () => {
    const file = `${stage.home}/x`;
    const { told } = await run(`touch ${file}`, { escalate: "network", justification: WHY });
    assertMatch(told, /\[Sandbox: commands write only in the workspace.*"unconfined".*\]\n\[exit code: 1\]$/);
    assertEquals(exists(file), false);
  });

  await t.step("leaves the confinement with `escalate: unconfined`, for that one call", async () => {
    const file = `${stage.home}/y`;
    const { card } = await run(`touch ${file}`, { escalate: "unconfined", justification: WHY });
    assertEquals([card.status, exists(file)], ["completed", true]);
    const { told } = await run(`touch ${file}`);
    assertMatch(told, /\[Sandbox: commands write only/);
  });

  await t.step("is not run when the user says no, and the model is told", async () => {
    stage.agent.onRequest = answering("reject_once", asked);
    const file = `${stage.home}/z`;
    const { card } = await run(`touch ${file}`, { escalate: "unconfined", justification: WHY });
    assertEquals([card.status, exists(file)], ["failed", false]);
    assertMatch(stage.model.told, /said no|refus/i);
  });

  await t.step("asks nothing without a justification: the model is told to give one", async () => {
    const before = asked.length;
    const { told } = await run("true", { escalate: "network" });
    assertEquals(asked.length, before);
    assertMatch(told, /justification: escalate needs a justification/);
  });

  await t.step("whose secrets are closed hears that it is on purpose", async () => {
    const { told } = await run("cat ~/.ssh/id_ed25519");
    assertMatch(told, /closed on purpose/);
  });

  await t.step("that fails by itself is not blamed on the confinement", async () => {
    assertEquals((await run("echo no; exit 2")).told, "no\n[exit code: 2]");
  });
});
