import { assert, assertEquals, assertMatch } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf, chunkText, isTool, textOf, toolText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";

const SLEEP = uniqueSleep();
const FIRST = script(["text", "the first turn"]);

/** One place in a turn where the agent is killed. */
interface Point {
  /** Brings the session there. */
  readonly reach: (stage: Stage, session: Session) => Promise<void>;
  /** What the model is told of the call that was open, where there was one. */
  readonly told?: RegExp;
  readonly card?: "completed" | "failed";
}

/** Begins a turn and waits until the model was asked for its nth reply. */
async function untilAsked(stage: Stage, session: Session, prompt: string, replies: number): Promise<void> {
  const asked = stage.model.calls.length;
  await session.begin(prompt);
  await eventually("the model is asked", () => stage.model.calls.length === asked + replies);
}

const POINTS: Readonly<Record<string, Point>> = {
  "between two turns": { reach: () => Promise.resolve() },
  "before the model's first byte": {
    reach: (stage, session) => untilAsked(stage, session, script(["hang"]), 1),
  },
  "while the model streams": {
    reach: async (_, session) => {
      const turn = await session.begin(script(["text", "half a sen"], ["stall"]));
      await turn.until((u) => chunkText(u) !== "", "the first words");
    },
  },
  "with a call announced and not begun": {
    reach: async (stage, session) => {
      await stage.agent.call("session/set_mode", { sessionId: session.id, modeId: "read-only" });
      const asked = Promise.withResolvers<void>();
      stage.agent.onRequest = () => {
        asked.resolve();
        return new Promise(() => {});
      };
      await session.begin(script(["tool", "write", { path: "a", content: "x" }]));
      await asked.promise;
    },
    told: /nothing was run/i,
    card: "failed",
  },
  "with a command begun": {
    reach: async (_, session) => {
      const turn = await session.begin(script(["bash", SLEEP]));
      await turn.until((u) => isTool(u) && u.status === "in_progress", "the command's start");
    },
    told: /outcome is unknown/i,
    card: "failed",
  },
  "while a command prints": {
    reach: async (_, session) => {
      const turn = await session.begin(script(["bash", `echo begun; ${SLEEP}`]));
      await turn.until((u) => toolText(u).includes("begun"), "the command's output");
    },
    told: /outcome is unknown/i,
    card: "failed",
  },
  "with a command ended and the model asked again": {
    reach: (stage, session) => untilAsked(stage, session, script(["bash", "echo result"], ["hang"]), 2),
    told: /^result/,
    card: "completed",
  },
  "with a background job": {
    reach: async (_, session) => {
      await session.run(script(["bash", SLEEP, { background: true }], ["text", "started"]));
      await eventually("the job runs", () => processesRunning(SLEEP).length > 0);
    },
    card: "completed",
  },
};

for (const [name, point] of Object.entries(POINTS)) {
  onStage(`kill -9 ${name}: the session goes on`, { client: plainCapabilities }, async (stage) => {
    const session = await stage.session();
    await session.run(FIRST);
    await point.reach(stage, session);
    await stage.agent.kill("SIGKILL");
    await stage.stop();
    await eventually("no command lives on", () => processesRunning(SLEEP).length === 0);

    const agent = await stage.start();
    const { sessions } = await agent.call("session/list", {});
    assertEquals((sessions as Fields[]).map((s) => s.sessionId), [session.id]);
    const loaded = await stage.load(session.id);
    const replayed = agent.updatesOf(session.id);
    assert(textOf(replayed).startsWith("the first turn"), "what was said before is there");
    assertEquals(cardsOf(replayed).map((card) => card.status), point.card ? [point.card] : []);

    assertEquals(textOf((await loaded.run(script(["text", "back"]))).updates).endsWith("back"), true);
    const [calls, results] = callsAndResults(stage.model.lastCall);
    assertEquals(results, calls, "no call without its result reaches the model");
    if (point.told) {
      const tool = stage.model.lastCall.messages.findLast((m) => m.role === "tool");
      assertMatch(contentText(tool?.content), point.told);
    }
  });
}

onStage("kill -9 before the first prompt leaves nothing behind", {}, async (stage) => {
  const session = await stage.session();
  await stage.agent.kill("SIGKILL");
  await stage.stop();
  const agent = await stage.start();
  assertEquals(await agent.call("session/list", {}), { sessions: [] });
  const load = { sessionId: session.id, cwd: session.cwd, mcpServers: [] };
  assertEquals((await agent.refusal("session/load", load)).code, -32002);
});

onStage("kill -9 during what opens or ends a session leaves a session that loads", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["bash", "seq 1 5000"], ["text", "kept"]));
  await stage.stop();
  const place = { sessionId: session.id, cwd: session.cwd, mcpServers: [] };
  for (const method of ["session/load", "session/load", "session/resume", "session/fork", "session/close"]) {
    const agent = await stage.start();
    await agent.write({ id: agent.newId(), method, params: place });
    await agent.kill("SIGKILL");
    await stage.stop();
  }
  await stage.start();
  const loaded = await stage.load(session.id);
  assertEquals(textOf(stage.agent.updatesOf(session.id)), "kept");
  await loaded.run(script(["text", "on"]));
});

onStage(
  "kill -9 in the same moment as a prompt: it is there, or the session is as before",
  {},
  async (stage) => {
    const session = await stage.session();
    await session.run(FIRST);
    await stage.agent.write(session.promptMessage(script(["text", "second"])));
    await stage.agent.kill("SIGKILL");
    await stage.stop();
    await stage.start();
    const loaded = await stage.load(session.id);
    assertMatch(textOf(stage.agent.updatesOf(session.id)), /^the first turn(second)?$/);
    await loaded.run(script(["text", "on"]));
  },
);
