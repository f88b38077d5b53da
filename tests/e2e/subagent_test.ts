import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { plainCapabilities } from "../support/capabilities.ts";
import { exists } from "../support/files.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { callsAndResults, type ModelCall } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { runProgram } from "../support/program.ts";
import type { Stage } from "../support/stage.ts";
import {
  type Card,
  cardsOf,
  isTurnBound,
  joinChunks,
  onlyCard,
  textOf,
  toolContent,
  toolText,
} from "../support/updates.ts";
import { eventually, pause, within } from "../support/waiting.ts";
import type { Fields, Message, Update } from "../support/wire.ts";

/** A call that gives a task to a child, which does these steps. */
function delegate(steps: readonly Step[], args: Fields = {}): Step {
  return ["tool", "subagent", { task: script(...steps), ...args }];
}

/** The requests of children, in the order they came. */
function childCalls(stage: Stage): ModelCall[] {
  return stage.model.calls.filter((c) => /^You are a sub-agent/.test(contentText(c.messages[0]?.content)));
}

/** What the children were told of their calls. */
function childrenTold(stage: Stage): string[] {
  return childCalls(stage).flatMap((c) => c.messages).filter((m) => m.role === "tool").map((m) =>
    contentText(m.content)
  );
}

function progressOf(card: Card): string[] {
  return card.updates.filter((u) => u.status === "in_progress" && u.content).map(toolText);
}

function assertNoOrphans(stage: Stage): void {
  for (const call of stage.model.calls) {
    const [calls, results] = callsAndResults(call);
    assertEquals(results, calls);
  }
}

onStage("a sub-agent's last message comes back, and nothing else of its work", {
  files: { "a.txt": "needle\n" },
}, async (stage, t) => {
  const session = await stage.session();
  const steps: Step[] = [["text", "I look. "], ["tool", "read", { path: "a.txt" }], [
    "text",
    "**Found** it.",
  ]];
  const { updates, answer } = await session.run(
    "Where is it?\n" +
      script(["text", "Asking. "], delegate(steps, { description: "Find the needle" }), [
        "text",
        "It is there.",
      ]),
  );
  const card = onlyCard(updates);

  await t.step("to the model", () => {
    assertEquals(stage.model.told, "**Found** it.");
    assertEquals(textOf(updates), "Asking. It is there.");
    assertEquals(stage.model.lastCall.messages.map((m) => m.role), ["system", "user", "assistant", "tool"]);
  });

  await t.step("to the user, in one card that shows its steps meanwhile", () => {
    assertEquals([card.call.title, card.call.kind, card.status], ["Find the needle", "think", "completed"]);
    assertEquals(toolText(card.last), "**Found** it.");
    assertStringIncludes(progressOf(card).at(-1) ?? "", "- ✓ Read `a.txt`\n");
    assertStringIncludes(progressOf(card).at(-1) ?? "", "> I look.");
  });

  await t.step("and it sees its task alone, and no tool to have sub-agents of its own", () => {
    const [first, second, ...more] = childCalls(stage);
    assertEquals(more, []);
    assertEquals(first!.messages.slice(1).map((m) => [m.role, contentText(m.content)]), [
      ["user", script(...steps)],
    ]);
    const names = (first!.body.tools as Fields[]).map((tool) => (tool.function as Fields).name);
    assertEquals(names, ["bash", "job_output", "job_kill", "read", "glob", "grep"]);
    assertEquals(second!.body.model, stage.model.lastCall.body.model);
  });

  await t.step("and its tokens are those of the prompt", () => {
    assertEquals(stage.model.calls.length, 4);
    assertEquals((answer.result?.usage as Fields).totalTokens, 4 * 120);
  });

  await t.step("and a load shows the same again", async () => {
    const live = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    await stage.stop();
    const shown = await runProgram(stage, ["sessions", "show", session.id]);
    assertMatch(
      shown.stdout,
      /\* Find the needle\n +## User\n[^]*\n +\* Read `a.txt`\n[^]*\n +\*\*Found\*\* it\./,
    );
    await stage.start();
    const loaded = await stage.load(session.id);
    const replayed = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), live);
    await loaded.run(script(["text", "on"]));
    assertNoOrphans(stage);
  });
});

onStage("a sub-agent", { files: { "a.txt": "one\n" } }, async (stage, t) => {
  const session = await stage.session();
  const run = async (steps: readonly Step[], args: Fields = {}) => {
    const { updates } = await session.run(script(delegate(steps, args), ["text", "went on"]));
    assertStringIncludes(textOf(updates), "went on");
    return onlyCard(updates);
  };
  const told = () => childrenTold(stage).at(-1)!;

  await t.step("only reads: its commands cannot write, edit and write are not there", async () => {
    await run([["bash", "cat a.txt; touch made.txt"], ["text", "."]]);
    assertMatch(told(), /^one\n[^]*made\.txt[^]*\[exit code: 1\]$/);
    for (const name of ["write", "edit", "subagent"]) {
      await run([["tool", name, { path: "made.txt", content: "x", task: "x" }], ["text", "."]]);
      assertStringIncludes(told(), `There is no tool "${name}"`);
    }
    assertEquals(exists(stage.path("made.txt")), false);
  });

  await t.step("writes where it is let to, by tools and commands", async () => {
    const steps: Step[] = [
      ["tool", "edit", { path: "a.txt", old_string: "one", new_string: "two" }],
      ["bash", "echo new > made.txt"],
      ["text", "Wrote."],
    ];
    const card = await run(steps, { write: true });
    assertEquals([card.status, stage.model.told], ["completed", "Wrote."]);
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "two\n");
    assertEquals(await Deno.readTextFile(stage.path("made.txt")), "new\n");
  });

  await t.step("that may write has no sub-agents of its own either", async () => {
    await run([["tool", "subagent", { task: "x" }], ["text", "."]], { write: true });
    assertMatch(told(), /^There is no tool "subagent"\. Tools: .*write, edit, glob, grep, fetch\.$/);
  });

  await t.step("is called by its task where it has no description", async () => {
    const { updates } = await session.run(
      script(["tool", "subagent", { task: "Look\naround" }], ["text", "."]),
    );
    assertEquals(onlyCard(updates).call.title, "Look");
  });

  await t.step("that its provider fails is told with the reason, and what it had said", async () => {
    const card = await run([["text", "Half a "], ["bash", "true"], ["http", 402, "no balance"]]);
    assertEquals(card.status, "failed");
    assertMatch(
      stage.model.told,
      /^Half a\n\n\[The sub-agent failed: .*no balance.*half of the answer\.\]$/s,
    );
    assertStringIncludes(toolText(card.last), "no balance");
  });

  await t.step("that was cut off or refused says so", async () => {
    const cut = await run([["text", "Long"], ["finish", "length"]]);
    assertMatch(stage.model.told, /^Long\n\n\[The sub-agent's last message was cut off/);
    const refused = await run([["finish", "content_filter"]]);
    assertMatch(stage.model.told, /^\[The provider refused .* It reported nothing\.\]$/);
    assertEquals([cut.status, refused.status], ["failed", "failed"]);
  });

  await t.step("that says nothing says so", async () => {
    assertEquals((await run([["text", "I look."], ["bash", "true"], ["think", "hm"]])).status, "failed");
    assertEquals(stage.model.told, "[The sub-agent ended without a report.]");
  });

  await t.step("that says a great deal is cut in the middle, between characters", async () => {
    const crab = "🦀é\u0000```";
    const card = await run([["text", crab.repeat(30_000), { chunks: 50 }]]);
    assertMatch(stage.model.told, /^🦀é[^]*\n\[output truncated: \d+ bytes left out here\]\n[^]*```$/);
    assert(stage.model.told.length < 40_000);
    assertEquals(/\p{Cs}/u.test(stage.model.told), false);
    assertMatch(toolText(card.last), /^🦀é[^]*characters left out[^]*```$/);
    assertEquals(/\p{Cs}/u.test(toolText(card.last)), false);
  });

  await t.step("that does a great deal does not flood the client", async () => {
    const calls = Array.from({ length: 30 }, (_, i): Step => ["bash", `echo ${i}`]);
    const card = await run([["par", calls], ["par", calls], ["par", calls], ["text", "."]]);
    const progress = progressOf(card);
    assert(progress.length > 10 && progress.length < 40, `${progress.length} updates`);
    assert(progress.every((text) => text.length < 4000));
    assertMatch(progress.at(-1)!, /- \d+ earlier steps\n/);
  });

  await t.step("ends its background jobs with its last message, and nobody else can name them", async () => {
    const sleep = uniqueSleep();
    await run([["bash", sleep, { background: true }], ["tool", "job_output", { job_id: "job1" }], [
      "text",
      ".",
    ]]);
    assertMatch(told(), /job1 runs/);
    await eventually("the job is gone", () => processesRunning(sleep).length === 0);
    await session.run(script(["tool", "job_output", { job_id: "job1" }], ["text", "."]));
    assertEquals(stage.model.told, 'There is no job "job1".');
  });

  await t.step("whose history is too long is compacted by itself", async () => {
    const steps: Step[] = [
      ["text", "The harbour is called Wendhaven."],
      ["bash", "seq 1000"],
      ["bash", "true"],
      ["flaky", 1, 400, "This model's maximum context length is 4711 tokens."],
      ["text", "Done at last."],
    ];
    const before = stage.model.calls.length;
    const card = await run(steps);
    assertEquals([card.status, stage.model.told], ["completed", "Done at last."]);
    const summarised = stage.model.calls.slice(before).find((c) => c.body.tools === undefined);
    assertStringIncludes(contentText(summarised?.messages[1]?.content), "Wendhaven");
  });

  await t.step("leaves no call without its result, in its own history and in its parent's", () => {
    assertNoOrphans(stage);
  });
});

onStage("sub-agents that only read work side by side, one that writes by itself", {}, async (stage) => {
  const session = await stage.session();
  const look = (name: string): Step =>
    delegate([["gate", name], ["text", `seen ${name}`]], { description: name });
  const turn = await session.begin(script(["par", [look("a"), look("b")]], ["text", "both"]));
  await eventually("both are asked", () => childCalls(stage).length === 2);
  stage.model.open("b");
  await turn.until((u) => u.toolCallId !== undefined && toolText(u) === "seen b", "the second's end");
  await stage.agent.call("_session/steering", {
    sessionId: session.id,
    prompt: [{ type: "text", text: "Hurry." }],
  });
  stage.model.open("a");
  const { updates } = await turn.end();
  const heard = stage.model.calls.filter((c) => c.text.includes("Hurry."));
  assertEquals(heard, [stage.model.lastCall], "what the user says meanwhile is for the parent");
  assertEquals(cardsOf(updates).map((c) => [c.call.title, toolText(c.last)]), [["a", "seen a"], [
    "b",
    "seen b",
  ]]);
  const results = stage.model.lastCall.messages.filter((m) => m.role === "tool");
  assertEquals(results.map((m) => contentText(m.content)), ["seen a", "seen b"]);

  const write = delegate([["gate", "w"], ["bash", "echo 1 > w"], ["text", "wrote"]], { write: true });
  const then = delegate([["bash", "cat w"], ["text", "read"]]);
  const second = await session.begin(script(["par", [write, then]], ["text", "ok"]));
  await eventually("the first is asked", () => childCalls(stage).length === 3);
  await pause(150);
  assertEquals(childCalls(stage).length, 3, "the other one waits");
  stage.model.open("w");
  assertEquals((await second.end()).stopReason, "end_turn");
  assertStringIncludes(childrenTold(stage).at(-1)!, "1");
});

onStage("a cancel ends sub-agents with their model calls and commands", {}, async (stage) => {
  const sleep = uniqueSleep();
  const session = await stage.session();
  const busy = delegate([["text", "working"], ["bash", `echo out; ${sleep}`], ["text", "late"]]);
  const silent = delegate([["hang"]]);
  const turn = await session.begin(script(["par", [busy, silent]], ["text", "late"]));
  await eventually("both work", () => processesRunning(sleep).length > 0 && childCalls(stage).length === 2);
  const hanging = childCalls(stage).find((c) => contentText(c.messages[1]?.content).includes("hang"))!;
  await session.cancel();
  const { stopReason, updates } = await turn.end();
  assertEquals([stopReason, cardsOf(updates).map((c) => c.status)], ["cancelled", ["failed", "failed"]]);
  for (const { last } of cardsOf(updates)) assertMatch(toolText(last), /^MOCK .*\nCancelled\.$/);
  await eventually("the connection is closed", () => hanging.closedByClient);
  await eventually("the command is gone", () => processesRunning(sleep).length === 0);
  await session.run(script(["text", "still sane"]));
  assertNoOrphans(stage);
});

onStage("a client that goes away takes the sub-agents with it", {}, async (stage) => {
  const sleep = uniqueSleep();
  const session = await stage.session();
  await session.begin(script(delegate([["bash", sleep]])));
  await eventually("the command runs", () => processesRunning(sleep).length > 0);
  await stage.stop();
  await eventually("it is gone", () => processesRunning(sleep).length === 0);
});

onStage("a crash while a sub-agent works", { client: plainCapabilities }, async (stage) => {
  const sleep = uniqueSleep();
  const session = await stage.session();
  const steps: Step[] = [["text", "on it"], ["bash", `echo begun; ${sleep}`], ["text", "no"]];
  const turn = await session.begin(script(delegate(steps, { description: "Look around" }), ["text", "no"]));
  await turn.until((u) => toolText(u).includes("- … "), "its progress");
  await stage.agent.kill("SIGKILL");
  await stage.stop();
  await eventually("the command is gone", () => processesRunning(sleep).length === 0);
  const dead = await runProgram(stage, ["sessions", "show", session.id]);
  assertMatch(dead.stdout, /\* Look around\n[^]*\[no end was logged\]/);

  await stage.start();
  const loaded = await stage.load(session.id);
  const card = onlyCard(stage.agent.updatesOf(session.id));
  assertEquals(card.status, "failed");
  assertMatch(toolText(card.last), /outcome is unknown/);
  assertEquals(textOf((await loaded.run(script(["text", "back"]))).updates), "back");
  assertNoOrphans(stage);
  await stage.stop();
  const closed = await runProgram(stage, ["sessions", "show", session.id]);
  assertMatch(closed.stdout, /\* Look around\n[^]*echo begun[^]*outcome is unknown[^]*the turn failed/);
  assertEquals(closed.stdout.includes("no end was logged"), false);
});

/** Answers every question by the option of this kind. */
function answering(kind: string, asked: Message[]): (request: Message) => Answer {
  return (request) => {
    asked.push(request);
    const options = request.params?.options as { optionId: string; kind: string }[];
    const optionId = options.find((option) => option.kind === kind)?.optionId;
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
}

onStage("a question of a sub-agent", { env: { DSH_PRESET: "confirm" } }, async (stage, t) => {
  const session = await stage.session();
  const asked: Message[] = [];
  const ask = async (steps: readonly Step[], args: Fields, kind: string) => {
    stage.agent.onRequest = answering(kind, asked);
    const { updates } = await session.run(script(delegate(steps, args), ["text", "went on"]));
    const card = onlyCard(updates);
    return { card, shown: asked.at(-1)?.params?.toolCall as Update };
  };
  const write: Step[] = [["tool", "write", { path: "a.txt", content: "x\n" }], ["text", "Done."]];
  const args = { write: true, description: "Write a file" };

  await t.step("is asked on its parent's card, and shows what it is about", async () => {
    const { card, shown } = await ask(write, args, "allow_once");
    assertEquals([asked.length, shown.toolCallId, shown.title], [1, card.id, "Write `a.txt`"]);
    assert(toolContent(shown).some((c) => c.type === "diff" && c.newText === "x\n"));
    assertStringIncludes(toolText(shown), 'Asked by the sub-agent "Write a file".');
    assertEquals(card.last.title, "Write a file", "the card has its own title again");
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "x\n");
  });

  await t.step("that is answered by no is a no for that call alone", async () => {
    const { card } = await ask(
      [["tool", "write", { path: "b.txt", content: "" }], ["text", "Not done."]],
      args,
      "reject_once",
    );
    assertEquals([card.status, stage.model.told, exists(stage.path("b.txt"))], [
      "completed",
      "Not done.",
      false,
    ]);
    assertMatch(childrenTold(stage).at(-1)!, /said no/);
  });

  await t.step("shows a command's exact text, and one that only reads can ask as well", async () => {
    const command = `curl -sS --max-time 5 ${stage.model.baseURL}/models`;
    const wish = { escalate: "network", justification: "To look." };
    const { card, shown } = await ask([["bash", command, wish], ["text", "Looked."]], {}, "allow_once");
    assertEquals([shown.toolCallId, shown.title, shown.kind], [card.id, command, "execute"]);
    assertEquals([card.last.kind, card.status], ["think", "completed"]);
    assertStringIncludes(toolText(shown), "```bash\n" + command + "\n```");
    assertEquals(childrenTold(stage).at(-1), '{"object":"list","data":[]}');
  });

  await t.step("that is dismissed ends the turn", async () => {
    stage.agent.onRequest = () => ({ result: { outcome: { outcome: "cancelled" } } });
    const turn = await session.prompt(script(delegate(write, args), ["text", "never"]));
    assertEquals([turn.stopReason, onlyCard(turn.updates).status], ["cancelled", "failed"]);
  });

  await t.step("that is open is closed by a cancel", async () => {
    const open = Promise.withResolvers<void>();
    stage.agent.onRequest = () => {
      open.resolve();
      return new Promise<Answer>(() => {});
    };
    const turn = await session.begin(script(delegate(write, args), ["text", "never"]));
    await within("the question", open.promise);
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
    await session.run(script(["text", "on"]));
    assertNoOrphans(stage);
  });
});

onStage(
  "read-only holds for a sub-agent that may write",
  { env: { DSH_PRESET: "read-only" } },
  async (stage) => {
    const session = await stage.session();
    const asked: Message[] = [];
    stage.agent.onRequest = answering("reject_once", asked);
    const steps: Step[] = [["bash", "touch b.txt"], ["tool", "write", { path: "a.txt", content: "x" }], [
      "text",
      ".",
    ]];
    await session.run(script(delegate(steps, { write: true }), ["text", "ok"]));
    assertEquals([asked.length, exists(stage.path("a.txt")), exists(stage.path("b.txt"))], [1, false, false]);
  },
);
