import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning } from "../support/process_tree.ts";
import type { Stage } from "../support/stage.ts";
import { joinChunks, onlyCard, terminalText, textOf, toolText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";

const background = (command: string) => ["bash", command, { background: true }] as const;
const look = (job_id: string, wait_ms = 0) => ["tool", "job_output", { job_id, wait_ms }] as const;

/** What the model reads of the user's last message. */
function lastUserText(stage: Stage): string {
  return contentText(stage.model.lastCall.messages.findLast((m) => m.role === "user")?.content);
}

/** Prompts until the report of a job's end comes with one of the turns. */
async function turnWithReport(stage: Stage, prompt: () => Promise<unknown>): Promise<void> {
  await eventually("the job's end is reported", async () => {
    await prompt();
    return lastUserText(stage).startsWith("[Background ");
  });
}

onStage("a background job", {}, async (stage, t) => {
  const session = await stage.session();
  const serve = "echo ready; until [ -e more ]; do sleep 0.02; done; echo more; exec sleep 86451";

  await t.step("starts with a finished card without an exit, which says that it runs on", async () => {
    const { updates } = await session.run(script(background(serve), ["text", "started"]));
    const card = onlyCard(updates);
    assertEquals([card.call.title, card.status], [serve, "completed"]);
    assertEquals(card.updates.filter((u) => u._meta?.terminal_exit), []);
    assertMatch(terminalText(updates, card.id), /^ready\n\n… Runs on in the background as job1\. …\n$/);
    assertMatch(stage.model.told, /^ready\n\[job1 runs in the background\. .*job_output.*job_kill/);
  });

  await t.step("runs on between the turns; its output is read once", async () => {
    await session.run(script(look("job1"), ["text", "ok"]));
    assertMatch(stage.model.told, /^\[no new output\]\n\[job1 runs, .* so far\]$/);
    await stage.write("more", "");
    await eventually("it goes on", () => processesRunning("sleep 86451").length > 0);
    const { updates } = await session.run(script(look("job1", 100), ["text", "ok"]));
    assertMatch(stage.model.told, /^more\n\[job1 runs/);
    const card = onlyCard(updates);
    assertEquals([card.call.title, card.status], ["Output of `job1`", "completed"]);
    assertEquals(toolText(card.last), "```console\nmore\n```\n\nRuns on.");
  });

  await t.step("leaves other commands alone, and they leave it alone", async () => {
    await session.run(script(["bash", "sleep 86452 & echo done"], ["text", "ok"]));
    assertEquals(processesRunning("sleep 86451").length, 1);
    await eventually("the stray is gone", () => processesRunning("sleep 86452").length === 0);
  });

  await t.step("outlives a cancelled turn", async () => {
    const turn = await session.begin(script(["text", "on it"], ["stall"]));
    await turn.until((u) => u.sessionUpdate === "agent_message_chunk");
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
    assertEquals(processesRunning("sleep 86451").length, 1);
  });

  await t.step("is no job of another session", async () => {
    const other = await stage.session();
    await other.run(script(look("job1"), ["text", "ok"]));
    assertEquals(stage.model.told, 'There is no job "job1".');
  });

  await t.step("ends with all its processes when it is killed", async () => {
    const { updates } = await session.run(script(["tool", "job_kill", { job_id: "job1" }], ["text", "ok"]));
    assertEquals(onlyCard(updates).status, "completed");
    assertMatch(stage.model.told, /\[ended by job_kill\]\n\[killed by signal: SIG(TERM|KILL)\]$/);
    assertEquals(processesRunning("sleep 86451").length, 0);
    await session.run(script(["text", "ok"]));
    assert(!lastUserText(stage).includes("job1"), "what the model knows is not reported");
  });

  await t.step("that fails at once is seen to fail", async () => {
    const { updates } = await session.run(
      script(background("echo 'port taken'; exit 3"), ["text", "ok"]),
    );
    const card = onlyCard(updates);
    assertEquals([card.status, card.last._meta?.terminal_exit?.exit_code], ["failed", 3]);
    assertMatch(stage.model.told, /^port taken\n\[job2 ended after .*\]\n\[exit code: 3\]$/);
  });
});

onStage("a job's end", { client: plainCapabilities }, async (stage, t) => {
  const session = await stage.session();
  await session.run(
    script(background("until [ -e go ]; do sleep 0.02; done; echo out; exit 4"), ["text", "ok"]),
  );
  await stage.write("go", "");

  await t.step("is waited for, no longer than it takes", async () => {
    await session.run(script(background("until [ -e go2 ]; do sleep 0.02; done; echo out2"), ["text", "ok"]));
    const turn = await session.begin(script(look("job2", 60_000), ["text", "ok"]));
    await turn.until((u) => u.status === "in_progress", "the call is waiting"); // a job that has ended is told before
    await stage.write("go2", "");
    await turn.end();
    assertMatch(stage.model.told, /^out2\n\[job2 ended after .*\]\n\[exit code: 0\]$/);
  });

  await t.step("is told to model and user at the start of a turn, and only there", async () => {
    // The first job may have been reported by now with one of the prompts above.
    const told = stage.model.calls.flatMap((c) => c.messages).map((m) => contentText(m.content));
    const report = /^\[Background job1 \(until .*\) has ended after .* s\. Exit code 4\.\]\n\nMOCK/;
    if (!told.some((text) => report.test(text))) {
      await turnWithReport(stage, () => session.run(script(["text", "ok"])));
      assertMatch(lastUserText(stage), report);
    }
    const shown = textOf(stage.agent.updatesOf(session.id));
    assertEquals(
      shown.match(/Background job1 \(`until .*`\) has ended after .* s\. Exit code 4\./g)?.length,
      1,
    );
    assertEquals(shown.includes("Background job2"), false);
    await session.run(script(look("job1"), ["text", "ok"]));
    assertMatch(stage.model.told, /^out\n\[job1 ended/, "its output waits to be read");
  });

  await t.step("is the same on replay", async () => {
    const live = joinChunks(stage.agent.updatesOf(session.id));
    await stage.stop();
    const agent = await stage.start();
    await stage.load(session.id);
    const replayed = joinChunks(agent.updatesOf(session.id));
    const visible = (updates: typeof live) =>
      updates.filter((u) => !["user_message_chunk", "config_option_update"].includes(u.sessionUpdate))
        .filter((u) =>
          u.sessionUpdate !== "current_mode_update" && u.sessionUpdate !== "available_commands_update"
        );
    assertEquals(visible(replayed), visible(live));
  });
});

onStage("jobs end with the agent", {}, async (stage, t) => {
  const session = await stage.session();
  const start = (n: number) => session.run(script(background(`exec sleep ${n}`), ["text", "ok"]));

  await t.step("at its crash, and a load says so to the model", async () => {
    await start(86453);
    await stage.agent.kill("SIGKILL");
    await stage.stop();
    await eventually("the job is gone", () => processesRunning("sleep 86453").length === 0);
    await stage.start();
    const loaded = await stage.load(session.id);
    await loaded.run(script(["text", "ok"]));
    assertMatch(
      lastUserText(stage),
      /^\[Background job1 \(exec sleep 86453\) is over: the agent ended.*\]\n\nMOCK/,
    );
    await loaded.run(script(look("job1"), ["text", "ok"]));
    assertStringIncludes(stage.model.told, 'There is no job "job1"');
    await loaded.run(script(background("exec sleep 86454"), ["text", "ok"]));
    assertStringIncludes(stage.model.told, "[job2 runs in the background");
  });

  await t.step("and at the end of its input", async () => {
    await stage.stop();
    assertEquals(processesRunning("sleep 86454").length, 0);
    await stage.start();
  });
});

onStage("a job with a long output", {}, async (stage) => {
  const session = await stage.session();
  const command = "seq 100000; until [ -e go ]; do sleep 0.02; done; echo the end; exec sleep 86456";
  await session.run(script(background(command), ["text", "ok"]));
  await session.run(script(look("job1", 500), ["text", "ok"]));
  const read = stage.model.calls.flatMap((c) => c.messages).map((m) => contentText(m.content)).join("\n");
  assertMatch(read, /\[output truncated: \d+ bytes left out here\]/);
  assertMatch(read, /^99999\n100000$/m);
  await stage.write("go", "");
  await eventually("its end can be read", async () => {
    await session.run(script(look("job1"), ["text", "ok"]));
    return stage.model.told.startsWith("the end\n");
  });
});

onStage("too many jobs", {}, async (stage) => {
  const session = await stage.session();
  const calls = Array.from({ length: 9 }, () => background("exec sleep 86455"));
  await session.run(script(["par", calls], ["text", "ok"]));
  assertMatch(
    stage.model.told,
    /^8 background jobs run already \(job1, .*\), and no more may: end one with job_kill\.$/,
  );
  assertEquals(processesRunning("sleep 86455").length, 8);
});
