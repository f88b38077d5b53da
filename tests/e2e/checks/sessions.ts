import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { exists, namesIn } from "../../support/files.ts";
import { hostile, serveEverything } from "../../support/mcp.ts";
import { contentText, script } from "../../support/model_script.ts";
import { callsAndResults } from "../../support/model_server.ts";
import { Session } from "../../support/session.ts";
import { initializeParams, type Stage } from "../../support/stage.ts";
import { seedSessions } from "../../support/stored.ts";
import {
  cardsOf,
  chunkText,
  isTool,
  isTurnBound,
  joinChunks,
  onlyCard,
  terminalText,
  textOf,
} from "../../support/updates.ts";
import type { Fields } from "../../support/wire.ts";
import { updateIn } from "../../support/wire.ts";
import { type Check, opened, pick, place, withAgent } from "./check.ts";

/** What the model was told of its calls. */
const toolResults = (stage: Stage) =>
  stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) => contentText(m.content));

async function listed(stage: Stage, params: Fields = {}): Promise<unknown[]> {
  const { sessions } = await stage.agent.call("session/list", params);
  return (sessions as Fields[]).map((s) => s.sessionId);
}

/** A session that was run by an agent which has ended, and what it showed. */
async function past(stage: Stage, prompt: string): Promise<[id: string, shown: unknown[]]> {
  return await withAgent(stage, {}, async () => {
    const session = await stage.session();
    const { updates } = await session.run(prompt);
    return [session.id, joinChunks(updates.filter(isTurnBound))];
  });
}

/** Sessions: 23–34. */
export const sessionChecks: readonly Check[] = [
  ["23 an absolute folder gives a new id each time; anything else is -32602", async (stage) => {
    const here = [(await stage.session()).id, (await stage.session()).id];
    const there = await withAgent(stage, {}, async () => (await stage.session()).id);
    assertEquals(new Set([...here, there]).size, 3);
    for (const cwd of ["relative", stage.path("missing"), stage.path("a.txt")]) {
      assertEquals((await stage.agent.refusal("session/new", place(stage, { cwd }))).code, -32602, cwd);
    }
  }],
  ["24 nothing is said of a session before its id is", async (stage) => {
    const { agent } = stage;
    const from = agent.frames.length;
    const session = await stage.session();
    await session.run("hello");
    const answer = agent.frames.findIndex((f, i) => i >= from && f.message.result?.sessionId === session.id);
    const first = agent.frames.findIndex((f) => updateIn(f.message, session.id));
    assert(answer >= 0 && answer < first);
  }],
  ["25 tools work in their session's folder, also side by side", async (stage) => {
    const turns = await Promise.all(["one", "two"].map(async (name) => {
      await stage.write(`${name}/who`, name);
      const session = await stage.session(stage.path(name));
      const { updates } = await session.run(
        script(["bash", "cat who; pwd"], ["tool", "read", { path: "who" }], ["text", "ok"]),
      );
      return [
        terminalText(updates, cardsOf(updates)[0]!.id),
        cardsOf(updates)[1]!.call.locations?.[0]?.path,
      ];
    }));
    assertEquals(turns, ["one", "two"].map((n) => [`${n}${stage.path(n)}\n`, `${stage.path(n)}/who`]));
  }],
  [
    "26 a stdio MCP server is started with its args and env, its tools are listed and called",
    async (stage) => {
      stage.agent.onRequest = pick("allow_once");
      const [session] = await opened(stage, {
        mcpServers: [hostile("s26", "plain", { FLAVOUR: "sweet" }, "one")],
      });
      await session.run(
        script(["tool", "mcp__s26__args", {}], ["tool", "mcp__s26__env", {}], ["text", "ok"]),
      );
      const [args, env] = toolResults(stage);
      assertEquals([args, JSON.parse(env!).FLAVOUR], ['["one"]', "sweet"]);
    },
  ],
  ["26a a session with a dead MCP server opens, and the user is told of it", async (stage) => {
    const server = { name: "server-4711", command: "/nonexistent/4711", args: [], env: [] };
    const [session] = await opened(stage, { mcpServers: [server] });
    await session.run("hello");
    assert(JSON.stringify(stage.agent.updatesOf(session.id)).includes("server-4711"));
  }],
  ["26b MCP servers by http and sse are advertised, and can be called", async (stage) => {
    stage.agent.onRequest = pick("allow_once");
    await withAgent(stage, {}, async (agent) => {
      agent.onRequest = pick("allow_once");
      const { agentCapabilities } = await agent.call("initialize", initializeParams({}));
      assertEquals((agentCapabilities as Fields).mcpCapabilities, { http: true, sse: true });
      for (const type of ["http", "sse"] as const) {
        await using server = await serveEverything(type);
        const [session] = await opened(stage, {
          mcpServers: [{ type, name: "s26", url: server.url, headers: [] }],
        });
        await session.run(script(["tool", "mcp__s26__echo", { message: type }], ["text", "ok"]));
        assertEquals(toolResults(stage), [`Echo: ${type}`]);
        await agent.call("session/close", { sessionId: session.id });
      }
    });
  }],
  [
    "27 a load shows the whole conversation in order, before its answer; an unknown id is -32002",
    async (stage) => {
      const [sessionId, shown] = await past(
        stage,
        script(["think", "hm"], ["bash", "echo 1; exit 2"], ["text", "end"]),
      );
      await withAgent(stage, {}, async (agent) => {
        await agent.call("session/load", place(stage, { sessionId }));
        const answer = agent.frames.length;
        await agent.refusal("session/load", place(stage, { sessionId: "never" }));
        const replayed = joinChunks(agent.updatesOf(sessionId, 0, answer).filter(isTurnBound));
        assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), shown);
        assertEquals(replayed[0]!.sessionUpdate, "user_message_chunk");
        assertEquals(agent.updatesOf(sessionId, answer).filter(isTurnBound), []);
        assertEquals((await agent.refusal("session/load", place(stage, { sessionId: "x" }))).code, -32002);
      });
    },
  ],
  ["28 a resume shows nothing and forgets nothing", async (stage) => {
    const [sessionId] = await past(stage, `The word is heron. ${script(["text", "noted"])}`);
    await withAgent(stage, {}, async (agent) => {
      await agent.call("session/resume", place(stage, { sessionId }));
      assertEquals(agent.updatesOf(sessionId).filter(isTurnBound), []);
      await new Session(agent, sessionId, stage.workspace).run("which word?");
      assert(JSON.stringify(stage.model.lastCall.messages).includes("heron"));
    });
  }],
  ["29 a list filters by folder, has pages and a stable order, and refuses a bad cursor", async (stage) => {
    await Deno.mkdir(stage.path("listed"));
    const cwd = stage.path("listed");
    assertEquals(await listed(stage, { cwd }), []);
    await seedSessions(stage.stateDir, 60, (time) => ({ cwd, time }));
    const first = await stage.agent.call("session/list", { cwd });
    const rest = await stage.agent.call("session/list", { cwd, cursor: first.nextCursor });
    const all = [...first.sessions as Fields[], ...rest.sessions as Fields[]];
    assertEquals([new Set(all.map((s) => s.sessionId)).size, rest.nextCursor], [60, undefined]);
    assert(all.every((s) => s.cwd === cwd && new Date(String(s.updatedAt)).toISOString() === s.updatedAt));
    assertEquals(await stage.agent.call("session/list", { cwd }), first);
    assertEquals((await stage.agent.refusal("session/list", { cursor: "nonsense" })).code, -32602);
  }],
  ["30 what is deleted is gone from the list and the disk, and may be deleted again", async (stage) => {
    const session = await stage.session();
    await session.run(script(["bash", "echo x > $TMPDIR/left"], ["text", "ok"]));
    const { id: sessionId } = session;
    for (const _ of [1, 2]) assertEquals(await stage.agent.call("session/delete", { sessionId }), {});
    assertEquals((await listed(stage)).includes(sessionId), false);
    assertEquals(namesIn(`${stage.stateDir}/tmp`).includes(sessionId), false);
  }],
  ["31 a close ends what runs as cancelled; what is closed is not known", async (stage) => {
    const [idle, busy] = [await stage.session(), await stage.session()];
    const turn = await busy.begin(script(["text", "on"], ["stall"]));
    await turn.until((u) => chunkText(u) !== "");
    for (const { id: sessionId } of [idle, busy]) await stage.agent.call("session/close", { sessionId });
    assertEquals((await turn.end()).stopReason, "cancelled");
    for (const s of [idle, busy]) assertEquals((await s.prompt("hello")).answer.error?.code, -32002);
  }],
  [
    "32 further folders are open to tools, others are not, and a load without them has none",
    async (stage) => {
      const folder = `${stage.root}/further`;
      await Deno.mkdir(folder);
      const relative = place(stage, { additionalDirectories: ["rel"] });
      assertEquals((await stage.agent.refusal("session/new", relative)).code, -32602);
      const [session] = await opened(stage, { additionalDirectories: [folder] });
      const writes = async (path: string) => {
        await session.run(script(["bash", `echo x > ${path}`], ["text", "ok"]));
        return exists(path);
      };
      assertEquals([await writes(`${folder}/a`), await writes(`${stage.outside}/a`)], [true, false]);
      await stage.agent.call("session/load", place(stage, { sessionId: session.id }));
      assertEquals(await writes(`${folder}/b`), false);
    },
  ],
  ["33 a stored session is refused in another folder", async (stage) => {
    const session = await stage.session();
    await session.run("hello");
    for (const method of ["session/load", "session/resume"]) {
      const params = place(stage, { sessionId: session.id, cwd: stage.outside });
      assertEquals((await stage.agent.refusal(method, params)).code, -32602, method);
    }
  }],
  ["34 after a crash in mid-turn the log is whole and its call has failed", async (stage) => {
    const id = await withAgent(stage, {}, async (agent) => {
      const session = await stage.session();
      const turn = await session.begin(script(["text", "on it"], ["bash", "echo 1; sleep 60"]));
      await turn.until((u) => isTool(u) && u.status === "in_progress");
      await agent.kill("SIGKILL");
      return session.id;
    });
    await withAgent(stage, {}, async (agent) => {
      const loaded = await stage.load(id);
      const replayed = agent.updatesOf(id);
      assertEquals([textOf(replayed), onlyCard(replayed).status], ["on it", "failed"]);
      await loaded.run("go on");
      const [calls, results] = callsAndResults(stage.model.lastCall);
      assertEquals([results, calls.length], [calls, 1]);
      assertNotEquals(contentText(stage.model.lastCall.messages.at(-1)?.content), "");
    });
  }],
];
