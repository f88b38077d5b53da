import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { assertHas } from "../support/asserts.ts";
import { plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import type { PendingTurn, Session } from "../support/session.ts";
import { isTurnBound, joinChunks, onlyCard, textOf, toolText } from "../support/updates.ts";
import type { Fields, Message } from "../support/wire.ts";

const DATABASES = {
  question: "Which __database__ should the café use?",
  options: [{ label: "PostgreSQL", description: "a server" }, { label: "SQLite ✓ データ" }],
};

/** Answers every request of the agent, and keeps them. */
function listen(stage: Stage, answer: (request: Message) => Answer | Promise<Answer>): Message[] {
  const requests: Message[] = [];
  stage.agent.onRequest = (request) => {
    requests.push(request);
    return answer(request);
  };
  return requests;
}

function ask(session: Session, args: Fields) {
  return session.run(script(["tool", "ask_user", args], ["text", "went on"]));
}

/** What the model was told of the call that ended last. */
function toldOf(stage: Stage): string {
  return contentText(stage.model.lastCall.messages.findLast((m) => m.role === "tool")?.content);
}

const accept = (content: unknown): Answer => ({ result: { action: "accept", content } });

onStage("a client with forms is asked with one", { client: zedCapabilities }, async (stage, t) => {
  const session = await stage.session();

  await t.step("that belongs to the announced call and holds the options", async () => {
    const requests = listen(stage, () => accept({ answer: "SQLite ✓ データ" }));
    const { updates } = await ask(session, DATABASES);
    const [{ method, params } = { method: "", params: {} }] = requests;
    assertEquals(method, "elicitation/create");
    const card = onlyCard(updates);
    assertEquals([params?.mode, params?.sessionId, params?.toolCallId], ["form", session.id, card.id]);
    assertEquals(params?.message, DATABASES.question);
    const { properties, required } = params?.requestedSchema as { properties: Fields; required: unknown };
    assertEquals((properties.answer as Fields).oneOf, [
      { const: "PostgreSQL", title: "PostgreSQL", description: "a server" },
      { const: "SQLite ✓ データ", title: "SQLite ✓ データ" },
    ]);
    assertEquals([Object.keys(properties), required], [["answer", "answer_custom"], []]);
    assertEquals([card.call.title, card.call.kind], [
      "Which \\_\\_database\\_\\_ should the café use?",
      "other",
    ]);
    assertEquals(card.updates.map((u) => u.status), ["completed"], "pending as long as it is open");
    assertHas(toolText(card.last), "**Answer:** SQLite ✓ データ");
    assertEquals(toldOf(stage), 'The user chose: "SQLite ✓ データ".');
  });

  const answers: [string, Fields, Answer, string | RegExp, string][] = [
    [
      "several options",
      { ...DATABASES, multi: true },
      accept({ answer: ["PostgreSQL", "SQLite ✓ データ"] }),
      'The user chose: "PostgreSQL", "SQLite ✓ データ".',
      "PostgreSQL, SQLite",
    ],
    [
      "the user's own words",
      DATABASES,
      accept({ answer_custom: "DuckDB\nplease" }),
      "The user wrote: DuckDB\nplease",
      "DuckDB\nplease",
    ],
    [
      "an option and words",
      DATABASES,
      accept({ answer: "PostgreSQL", answer_custom: "v17" }),
      'The user chose: "PostgreSQL".\nThe user wrote: v17',
      "PostgreSQL, v17",
    ],
    [
      "a question without options",
      { question: "Name?" },
      accept({ answer: "*Ada*" }),
      "The user wrote: *Ada*",
      "\\*Ada\\*",
    ],
    ["an empty form", DATABASES, accept({ answer: "", answer_custom: " " }), /no answer/, "No answer."],
    ["a form without content", DATABASES, accept(null), /no answer/, "No answer."],
    ["a no", DATABASES, { result: { action: "decline" } }, /no answer/, "No answer."],
    [
      "a form that was put away",
      DATABASES,
      { result: { action: "cancel" } },
      /put the question away/,
      "No answer.",
    ],
  ];
  for (const [what, args, answer, told, shown] of answers) {
    await t.step(`and takes ${what}`, async () => {
      listen(stage, () => answer);
      const { updates } = await ask(session, args);
      assertEquals(onlyCard(updates).status, "completed");
      assertHas(toolText(onlyCard(updates).last), shown);
      assertHas(toldOf(stage), told);
    });
  }

  const garbage: [string, Answer][] = [
    ["an option that was not offered", accept({ answer: "Oracle" })],
    ["a number", accept({ answer: 7 })],
    ["a list for one choice", accept({ answer: ["PostgreSQL"] })],
    ["a text as content", accept("PostgreSQL")],
    ["an action that there is none of", { result: { action: "yes", content: { answer: "PostgreSQL" } } }],
    ["nothing", { result: null }],
    ["an error", { error: { code: -32603, message: "the form broke" } }],
  ];
  for (const [what, answer] of garbage) {
    await t.step(`and does not take ${what} for an answer, but has the model ask in the chat`, async () => {
      const requests = listen(stage, () => answer);
      const { updates } = await ask(session, DATABASES);
      assertEquals([requests.length, textOf(updates)], [1, "went on"]);
      assertHas(toolText(onlyCard(updates).last), "To be answered in the chat.");
      assertMatch(toldOf(stage), /could not be shown/);
    });
  }

  await t.step("and is not asked for secrets, but for other things that sound like it", async () => {
    const requests = listen(stage, () => accept({ answer: "argon2" }));
    const refused = await ask(session, { question: "Please paste your OpenAI API key." });
    assertEquals([requests.length, onlyCard(refused.updates).status], [0, "failed"]);
    assertHas(toldOf(stage), "secrets must not go through the chat");
    await ask(session, { question: "Which password hashing library shall I use?" });
    assertEquals(requests.length, 1);
  });

  await t.step("or with buttons after all, where it does not know the request that it declared", async () => {
    const requests = listen(
      stage,
      ({ method }) =>
        method === "elicitation/create"
          ? { error: { code: -32601, message: "Method not found" } }
          : { result: { outcome: { outcome: "selected", optionId: "option_1" } } },
    );
    await ask(session, DATABASES);
    assertEquals(requests.map((r) => r.method), ["elicitation/create", "session/request_permission"]);
    assertEquals(toldOf(stage), 'The user chose: "PostgreSQL".');
  });

  await t.step("with a huge question in a frame that line readers can take", async () => {
    const question = "データ\u0001".repeat(60_000);
    const options = Array.from({ length: 20 }, (_, i) => ({
      label: `${i}${"ラ".repeat(90)}`,
      description: "d\u0002".repeat(2000),
    }));
    const requests = listen(stage, () => accept({ answer: options[19]!.label }));
    await ask(session, { question, options }); // the stage checks every line's length
    assertHas(String(requests[0]?.params?.message), "characters left out");
    assertHas(toldOf(stage), options[19]!.label);
  });

  await t.step("and cancels with the turn, although nobody answers", async () => {
    const never = Promise.withResolvers<Answer>();
    const requests = listen(stage, () => never.promise);
    const turn = await session.begin(script(["tool", "ask_user", DATABASES], ["text", "no"]));
    await stage.agent.until(() => requests.length > 0, { what: "the form" });
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, onlyCard(updates).status], ["cancelled", "failed"]);
    assert(wasWithdrawn(turn, requests[0]!), "the open form was not withdrawn");
    never.resolve(accept({ answer: "PostgreSQL" }));
    await session.run("are you there?");
  });
});

function wasWithdrawn({ session, from }: PendingTurn, request: Message): boolean {
  return session.agent.frames.slice(from).some(({ message }) =>
    message.method === "$/cancel_request" && message.params?.requestId === request.id
  );
}

onStage("a client without forms is asked with buttons", { client: plainCapabilities }, async (stage, t) => {
  const session = await stage.session();
  const pick = (optionId: string): Answer => ({ result: { outcome: { outcome: "selected", optionId } } });

  await t.step("where the options are few, one of each kind", async () => {
    const requests = listen(stage, () => pick("option_2"));
    const { updates } = await ask(session, DATABASES);
    const [{ method, params } = { method: "", params: {} }] = requests;
    assertEquals(method, "session/request_permission");
    assertEquals((params?.options as Fields[]).map((o) => [o.optionId, o.kind, o.name]), [
      ["option_1", "allow_once", "PostgreSQL"],
      ["option_2", "allow_always", "SQLite ✓ データ"],
      ["none", "reject_once", "None of these"],
    ]);
    const title = "Which \\_\\_database\\_\\_ should the café use? — 1: PostgreSQL, 2: SQLite ✓ データ";
    assertEquals((params?.toolCall as Fields).title, title);
    const shown = toolText(params?.toolCall as never);
    for (const part of [DATABASES.question, "1. PostgreSQL — a server\n2. SQLite", "“always allow” is 2"]) {
      assertHas(shown, part);
    }
    assertEquals(onlyCard(updates).status, "completed");
    assertEquals(toldOf(stage), 'The user chose: "SQLite ✓ データ".');
  });

  const others: [string, Answer, RegExp][] = [
    ["none of these", pick("none"), /no answer/],
    [
      "a question that was put away",
      { result: { outcome: { outcome: "cancelled" } } },
      /put the question away/,
    ],
    ["an option that was not offered", pick("option_3"), /could not be shown/],
    ["garbage", { result: { outcome: "allow" } }, /could not be shown/],
    ["an error", { error: { code: -32601, message: "Method not found" } }, /could not be shown/],
  ];
  for (const [what, answer, told] of others) {
    await t.step(`and takes ${what} as no choice`, async () => {
      listen(stage, () => answer);
      const { updates } = await ask(session, DATABASES);
      assertEquals(onlyCard(updates).status, "completed");
      assertMatch(toldOf(stage), told);
    });
  }

  const four = ["a", "b", "c", "d"].map((label) => ({ label }));
  for (
    const args of [{ question: "Name?" }, { ...DATABASES, multi: true }, { question: "Q?", options: four }]
  ) {
    await t.step(`but in the chat: ${JSON.stringify(args).slice(0, 60)}`, async () => {
      const requests = listen(stage, () => pick("option_1"));
      const { updates } = await ask(session, args);
      assertEquals(requests.length, 0);
      assertHas(toolText(onlyCard(updates).last), "To be answered in the chat.");
      assertMatch(toldOf(stage), /end your turn/);
    });
  }

  await t.step("and the buttons go with the turn", async () => {
    const never = Promise.withResolvers<Answer>();
    const requests = listen(stage, () => never.promise);
    const turn = await session.begin(script(["tool", "ask_user", DATABASES], ["text", "no"]));
    await stage.agent.until(() => requests.length > 0, { what: "the question" });
    await session.cancel();
    assertEquals((await turn.end()).stopReason, "cancelled");
    assert(wasWithdrawn(turn, requests[0]!), "the open question was not withdrawn");
    never.resolve(pick("option_1"));
    await session.run("are you there?");
  });
});

onStage(
  "asking needs no leave in any preset, and questions of one reply come one after the other",
  { client: zedCapabilities, env: { DSH_PRESET: "read-only" } },
  async (stage) => {
    const session = await stage.session();
    let [open, most] = [0, 0];
    const requests = listen(stage, async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 50));
      open--;
      return accept({ answer: "yes" });
    });
    const questions = ["One?", "Two?"].map((question) => ["tool", "ask_user", { question }] as const);
    await session.run(script(["par", questions], ["text", "ok"]));
    assertEquals(requests.map((r) => [r.method, r.params?.message]), [
      ["elicitation/create", "One?"],
      ["elicitation/create", "Two?"],
    ]);
    assertEquals(most, 1);
  },
);

onStage(
  "a loaded session shows its questions and plans as they were",
  { client: zedCapabilities },
  async (stage) => {
    const live = await stage.session();
    const answers = [accept({ answer: "SQLite ✓ データ", answer_custom: "a\nb" }), accept({ answer: 7 })];
    listen(stage, () => answers.shift() ?? { result: { action: "decline" } });
    const plan = (status: string) => ["tool", "plan", { entries: [{ content: "Ask", status }] }] as const;
    await live.run(script(
      plan("in_progress"),
      ["tool", "ask_user", DATABASES],
      ["tool", "ask_user", DATABASES],
      ["tool", "ask_user", { question: "Name?" }],
      ["tool", "ask_user", { question: "Password?" }],
      ["tool", "plan", { entries: "none" }],
      plan("completed"),
      ["text", "done"],
    ));
    const told = joinChunks(stage.agent.updatesOf(live.id).filter(isTurnBound));
    await stage.stop();
    await stage.start();
    await stage.load(live.id);
    const replayed = joinChunks(stage.agent.updatesOf(live.id).filter(isTurnBound));
    assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), told);
    assertEquals(told.filter((u) => u.sessionUpdate === "plan").length, 2);
  },
);
