import { assertEquals, assertStringIncludes } from "@std/assert";
import { contentText, script } from "../support/model_script.ts";
import type { Session } from "../support/session.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";
import { eventually } from "../support/waiting.ts";
import type { Stage } from "../support/stage.ts";

const WRITTEN = { model: { titles: [["text", '"Fix the Parser"']] } } as const;

const titles = (stage: Stage, session: Session) =>
  stage.agent.updatesOf(session.id).flatMap((u) =>
    u.sessionUpdate === "session_info_update" ? [u.title] : []
  );

/** Waits until the client was told this title. */
const named = (stage: Stage, session: Session, title: string) =>
  eventually(`the title "${title}"`, () => titles(stage, session).at(-1) === title);

/** Waits for the nth request for a title. */
const asked = (stage: Stage, n: number) =>
  eventually(`${n} requests for a title`, () => stage.model.titleCalls.length === n);

/** Waits until the nth of them was given up. */
const givenUp = (stage: Stage, n: number) =>
  eventually(`request ${n} given up`, () => stage.model.titleCalls[n - 1]!.closedByClient);

async function listed(stage: Stage): Promise<unknown[]> {
  const { sessions } = await stage.agent.call("session/list", {});
  return (sessions as { title: unknown }[]).map((s) => s.title);
}

onStage("the model writes a title after the first turn, once, and it stays", WRITTEN, async (stage) => {
  const session = await stage.session();
  const { updates } = await session.run("please mend my parser");
  assertEquals(updates.filter((u) => u.sessionUpdate === "session_info_update").map((u) => u.title), [
    "please mend my parser",
  ]);
  await named(stage, session, "Fix the Parser");
  assertEquals(await listed(stage), ["Fix the Parser"]);
  const [request] = stage.model.titleCalls;
  assertEquals([request!.body.tools, request!.messages.length], [undefined, 2]);
  assertEquals(request!.body.thinking, { type: "disabled" });
  assertStringIncludes(contentText(request!.messages[1]!.content), "please mend my parser");

  await session.run("and now?");
  const meter = stage.agent.updatesOf(session.id).filter((u) => u.sessionUpdate === "usage_update");
  assertEquals(meter.length, 2, "the title's tokens are in no figure");
  await stage.stop();
  await stage.start();
  const loaded = await stage.load(session.id);
  assertEquals(titles(stage, loaded).at(-1), "Fix the Parser");
  await loaded.run("still there?");
  const { sessionId } = await stage.agent.call("session/fork", {
    sessionId: session.id,
    cwd: stage.workspace,
    mcpServers: [],
  });
  assertEquals((await listed(stage)).sort(), ["Fix the Parser", "Fix the Parser (fork)"]);
  assertEquals(typeof sessionId, "string");
  assertEquals(stage.model.titleCalls.length, 1);
});

onStage(
  "a title that is being written gives way to the next prompt, and is tried again after it",
  { model: { titles: [["gate", "title"], ["text", "Late and good"]] } },
  async (stage) => {
    const session = await stage.session();
    await session.run("first");
    await asked(stage, 1);
    const turn = await session.begin(script(["gate", "go"], ["text", "ok"]));
    await givenUp(stage, 1);
    stage.model.open("title");
    stage.model.open("go");
    await turn.end();
    await named(stage, session, "Late and good");
    assertEquals(stage.model.titleCalls.length, 2);
  },
);

onStage(
  "a title that hangs is given up by a close, a cancel, and the agent's end",
  { model: { titles: [["hang"]] } },
  async (stage) => {
    const endings = [
      (s: Session) => stage.agent.call("session/close", { sessionId: s.id }),
      (s: Session) => stage.agent.write(s.cancelMessage()),
      () => stage.stop(),
    ];
    for (const [i, end] of endings.entries()) {
      const session = await stage.session();
      await session.run("hello");
      await asked(stage, i + 1);
      await end(session);
      await givenUp(stage, i + 1);
    }
  },
);

onStage("a title that fails is silent, and tried three times at most", {
  model: { titles: [["http", 500, "no"]] },
}, async (stage) => {
  const session = await stage.session();
  for (let i = 0; i < 5; i++) {
    await session.run("hello");
    await asked(stage, Math.min(i + 1, 3));
  }
  assertEquals(titles(stage, session), ["hello"]);
  assertEquals(stage.agent.stderr, "");
});

onStage("a reply that could be no title is dropped", {
  model: { titles: [["think", "hm"], ["text", "word ".repeat(40)]] },
}, async (stage) => {
  const session = await stage.session();
  await session.run("hello");
  await asked(stage, 1);
  await session.run("again");
  assertEquals(titles(stage, session), ["hello"]);
});

onStage(
  "a turn that was cancelled or failed asks for no title; the next good one does",
  WRITTEN,
  async (stage) => {
    const session = await stage.session();
    await session.prompt(script(["http", 400, "broken"]));
    const turn = await session.begin(script(["text", "a"], ["gate", "never"]));
    await turn.until((u) => u.sessionUpdate === "agent_message_chunk");
    await stage.agent.write(session.cancelMessage());
    assertEquals((await turn.end()).stopReason, "cancelled");
    assertEquals(stage.model.titleCalls.length, 0);
    await session.run("good");
    await named(stage, session, "Fix the Parser");
    assertEquals(stage.model.titleCalls.length, 1);
  },
);

onStage("no title is asked for where titles are switched off, nor of the demo model", {
  ...WRITTEN,
  files: { "config.jsonc": `{ "titles": false }` },
}, async (stage) => {
  await stage.stop();
  await stage.start({ env: { DSH_CONFIG: stage.path("config.jsonc") } });
  const off = await stage.session();
  await off.run("hello");
  await off.run("hello");
  await stage.stop();
  await stage.start({ env: { DSH_MODEL: "demo/demo" } });
  const demo = await stage.session();
  await demo.run("hello");
  await demo.run("hello");
  assertEquals(stage.model.titleCalls.length, 0);
  await stage.stop();
  await stage.start();
  const on = await stage.session();
  await on.run("hello");
  await named(stage, on, "Fix the Parser");
});

/** A key that is typed in while the session is open. */
const TYPED = "correct-horse-battery";

onEmptyStage("a title holds no key, not even one that was typed in after the session was opened", {
  model: { titles: [["text", `Use ${TYPED} to log in`]] },
  secrets: { UNUSED_NAME: TYPED },
  env: { DEEPSEEK_API_KEY: undefined, UNUSED_NAME: undefined },
}, async (stage) => {
  await stage.start();
  const session = await stage.session();
  const { code, stderr } = await runProgram(
    stage,
    ["login"],
    { DEEPSEEK_API_KEY: undefined },
    `${TYPED}\n`,
  );
  assertEquals(code, 0, stderr);
  await session.run("hello");
  await named(stage, session, "Use *** to log in");
});
