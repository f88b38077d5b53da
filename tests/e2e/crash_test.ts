import { assertEquals, assertMatch } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { plainCapabilities } from "../support/capabilities.ts";
import { exists } from "../support/files.ts";
import { contentText, script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import type { Stage } from "../support/stage.ts";
import { chunkText, onlyCard, textOf, toolText } from "../support/updates.ts";
import { eventually, within } from "../support/waiting.ts";

function assertNoOrphans(stage: Stage): void {
  const [calls, results] = callsAndResults(stage.model.lastCall);
  assertEquals(results, calls);
}

onStage("a crash while a command runs", { client: plainCapabilities }, async (stage) => {
  const sleep = uniqueSleep();
  const session = await stage.session();
  const turn = await session.begin(
    script(["text", "on it"], ["bash", `echo begun; ${sleep}`], ["text", "no"]),
  );
  await turn.until((u) => toolText(u).includes("begun"), "the command's output");
  await stage.agent.kill("SIGKILL");
  await stage.stop();
  await eventually("the command is gone", () => processesRunning(sleep).length === 0);

  await stage.start();
  const loaded = await stage.load(session.id);
  const replayed = stage.agent.updatesOf(session.id);
  const card = onlyCard(replayed);
  assertEquals([textOf(replayed), card.status], ["on it", "failed"]);
  assertMatch(toolText(card.last), /outcome (is )?unknown/i);

  assertEquals(textOf((await loaded.run(script(["text", "back"]))).updates), "back");
  assertNoOrphans(stage);
  const told = stage.model.lastCall.messages.find((m) => m.role === "tool");
  assertMatch(contentText(told?.content), /outcome (is )?unknown/i);
});

onStage("a crash while a question is open", { env: { DSH_PRESET: "read-only" } }, async (stage) => {
  const session = await stage.session();
  const asked = Promise.withResolvers<void>();
  stage.agent.onRequest = () => {
    asked.resolve();
    return new Promise<Answer>(() => {});
  };
  await session.begin(script(["tool", "write", { path: "a.txt", content: "x" }], ["text", "no"]));
  await within("the question", asked.promise);
  await stage.agent.kill("SIGKILL");
  await stage.stop();

  await stage.start();
  const loaded = await stage.load(session.id);
  const card = onlyCard(stage.agent.updatesOf(session.id));
  assertEquals([card.status, exists(stage.path("a.txt"))], ["failed", false]);
  assertMatch(toolText(card.last), /not started|nothing was run/i);
  await loaded.run(script(["text", "back"]));
  assertNoOrphans(stage);
});

onStage("a crash while the model streams", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "the first turn"]));
  const turn = await session.begin(script(["text", "half a sen"], ["stall"]));
  await turn.until((u) => chunkText(u) !== "", "the first words");
  await stage.agent.kill("SIGKILL");
  await stage.stop();

  await stage.start();
  const loaded = await stage.load(session.id);
  assertMatch(textOf(stage.agent.updatesOf(session.id)), /^the first turn(half a sen)?$/);
  assertEquals(textOf((await loaded.run(script(["text", "back"]))).updates), "back");
  assertNoOrphans(stage);
  const roles = stage.model.lastCall.messages.filter((m) => m.role === "user");
  assertEquals(roles.length, 3, "the prompt that was cut off is remembered");
});

onStage("a crash spares the other sessions", {}, async (stage) => {
  const quiet = await stage.session();
  await quiet.run(script(["text", "quiet"]));
  const busy = await stage.session();
  await (await busy.begin(script(["text", "busy"], ["stall"]))).until((u) => chunkText(u) !== "");
  await stage.agent.kill("SIGKILL");
  await stage.stop();

  await stage.start();
  for (const { id } of [quiet, busy]) await stage.load(id);
  assertEquals(textOf(stage.agent.updatesOf(quiet.id)), "quiet");
});
