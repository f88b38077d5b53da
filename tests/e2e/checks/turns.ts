import { assert, assertEquals, assertMatch } from "@std/assert";
import { plainCapabilities } from "../../support/capabilities.ts";
import { script, type Step } from "../../support/model_script.ts";
import { chunkText, isChunk, isTurnBound, textOf } from "../../support/updates.ts";
import { pause } from "../../support/waiting.ts";
import { type Fields, type Update, updateIn } from "../../support/wire.ts";
import { type Check, opened, place, withAgent } from "./check.ts";

type Option = { id: string; type: string; currentValue: unknown; options: { value?: string }[] };

/** More calls of the model than a turn may take. */
const ENDLESS: Step[] = Array.from({ length: 201 }, () => ["tool", "nothing", {}]);

/** The smallest picture, one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The prompt turn: 35–48. */
export const turnChecks: readonly Check[] = [
  ["35 a turn stops for one of five reasons, each for its cause", async (stage) => {
    const session = await stage.session();
    const stop = async (...steps: Step[]) => (await session.prompt(script(...steps))).stopReason;
    assertEquals(await stop(["text", "ok"]), "end_turn");
    assertEquals(await stop(["text", "cut"], ["finish", "length"]), "max_tokens");
    assertEquals(await stop(["text", "no"], ["finish", "content_filter"]), "refusal");
    assertEquals(await stop(...ENDLESS), "max_turn_requests");
  }],
  ["36 the updates of a turn name its session, and none comes behind its answer", async (stage) => {
    const session = await stage.session();
    const from = stage.agent.frames.length;
    const turn = await session.begin(script(["text", "many words ".repeat(500), { chunks: 500 }]));
    await turn.end();
    const end = stage.agent.frames.findIndex((f, i) => i >= from && f.message.result?.stopReason);
    await pause(100);
    const strays = stage.agent.frames.slice(end + 1).filter((f) => {
      const update = updateIn(f.message);
      return update && isTurnBound(update);
    });
    assertEquals(strays, []);
    const ids = stage.agent.frames.slice(from, end).map((f) => f.message.params?.sessionId);
    assertEquals(new Set(ids), new Set([session.id]));
  }],
  [
    "37 blocks are taken as advertised: text, links, embedded text and bytes; images by a model that sees; no sound",
    async (stage) => {
      const audio = { type: "audio", mimeType: "audio/wav", data: "AAAA" };
      const image = { type: "image", mimeType: "image/png", data: PNG };
      const unknown = { type: "x" };
      const refused = async (model: string, ...blocks: Fields[]) => {
        await withAgent(stage, { env: { DSH_MODEL: model } }, async (agent) => {
          const [session] = await opened(stage);
          const asked = stage.model.calls.length;
          for (const block of blocks) {
            const { error } = (await session.prompt([{ type: "text", text: "see" }, block])).answer;
            assertEquals(error?.code, -32602, String(block.type));
            assertMatch(String(error?.message), new RegExp(`prompt\\[1\\] \\(${block.type}\\)`));
          }
          assertEquals(stage.model.calls.length, asked);
          const { sessions } = await agent.call("session/list", {}) as { sessions: Fields[] };
          assert(!sessions.some((s) => s.sessionId === session.id), "nothing of it is kept");
        });
      };
      await refused("deepseek/deepseek-v4-pro", image, audio, unknown);
      await refused("deepseek/deepseek-flash", audio, unknown, { ...image, data: "no base64" });
      const session = await stage.session();
      await session.run([
        { type: "text", text: "see" },
        { type: "resource_link", uri: "file:///a.ts", name: "a.ts" },
        { type: "resource", resource: { uri: "file:///b.ts", text: "word-4711" } },
        { type: "resource", resource: { uri: "file:///c", blob: "AAAA" } },
        image,
      ]);
      assert(stage.model.lastCall.text.includes("word-4711"));
      assert(stage.model.lastCall.text.includes(`data:image/png;base64,${PNG}`));
    },
  ],
  ["38 _meta in requests is harmless", async (stage) => {
    const _meta = { "vendor/key": [1], traceparent: "00-x" };
    const [session] = await opened(stage, { _meta });
    const prompt = [{ type: "text", text: "hello", _meta }];
    const params = { sessionId: session.id, prompt, _meta };
    assertEquals((await stage.agent.call("session/prompt", params)).stopReason, "end_turn");
  }],
  ["39 an empty or blank prompt is answered", async (stage) => {
    const session = await stage.session();
    for (const prompt of [[], [{ type: "text", text: "" }], [{ type: "text", text: " \n" }]]) {
      const { answer } = await session.prompt(prompt);
      assert(answer.result?.stopReason || answer.error?.code === -32602, JSON.stringify(answer));
    }
    await session.run("and on");
  }],
  ["40 a second prompt waits for the first, and another session does not", async (stage) => {
    const [session, other] = [await stage.session(), await stage.session()];
    const first = await session.begin(script(["text", "one"], ["gate", "check-40"]));
    await first.until((u) => chunkText(u) !== "");
    const second = await session.begin(script(["text", "two"]));
    assertEquals(textOf((await other.run(script(["text", "mine"]))).updates), "mine");
    stage.model.open("check-40");
    const [one, two] = [await first.end(), await second.end()];
    assertEquals([one.stopReason, two.stopReason], ["end_turn", "end_turn"]);
    assertEquals(textOf(one.updates), "one", "nothing of the second turn comes before the first answer");
    assertEquals(textOf(stage.agent.updatesOf(session.id, first.from)), "onetwo");
  }],
  ["41 an unknown session is -32002, with its id", async ({ agent }) => {
    const error = await agent.refusal("session/prompt", { sessionId: "never", prompt: [] });
    assertEquals([error.code, error.data.sessionId], [-32002, "never"]);
  }],
  ["42 a provider that fails gives an error, and the next prompt works", async (stage) => {
    const session = await stage.session();
    const code = async (...steps: Step[]) => (await session.prompt(script(...steps))).answer.error?.code;
    assertEquals(await code(["http", 401]), -32000);
    assertEquals(await code(["http", 400]), -32603);
    assertEquals(await code(["text", "half"], ["cut"]), -32603);
    assertEquals(await code(["body", "text/event-stream", "garbage\n\n"]), -32603);
    await session.run(script(["flaky", 1, 500], ["text", "ok"]));
  }],
  ["43 a message keeps its id to its end; thoughts and what follows a tool have others", async (stage) => {
    const { updates } = await (await stage.session()).run(script(
      ["think", "a b", { chunks: 2, ms: 30 }],
      ["text", "c d", { chunks: 2, ms: 30 }],
      ["bash", "true"],
      ["text", "e"],
    ));
    const ids = new Map<string, Set<string>>();
    for (const u of updates.filter(isChunk)) {
      const said = chunkText(u).includes("e") ? "after" : u.sessionUpdate;
      ids.set(said, (ids.get(said) ?? new Set()).add(u.messageId!));
    }
    assertEquals([...ids.values()].map((of) => of.size), [1, 1, 1]);
    assertEquals(new Set([...ids.values()].flatMap((of) => [...of])).size, 3);
  }],
  // The agent keeps no plan yet, so there is no list to be whole.
  ["44 a plan is the whole list each time", async (stage) => {
    const step = (content: string, status: string) => ({ content, status });
    const entries = [step("Look", "completed"), step("Change", "in_progress"), step("Test", "pending")];
    const { updates } = await (await stage.session()).run(script(
      ["tool", "plan", { entries: [step("Look", "in_progress"), ...entries.slice(1)] }],
      ["tool", "plan", { entries }],
      ["text", "ok"],
    ));
    const plans = updates.filter((u) => u.sessionUpdate === "plan") as unknown as { entries: Fields[] }[];
    assertEquals(plans.map((plan) => plan.entries.map((entry) => [entry.content, entry.status])), [
      [["Look", "in_progress"], ["Change", "in_progress"], ["Test", "pending"]],
      [["Look", "completed"], ["Change", "in_progress"], ["Test", "pending"]],
    ]);
    assert(plans.flatMap((plan) => plan.entries).every((entry) => entry.priority !== undefined));
  }],
  ["45 usage is told only with the model's real window", async (stage) => {
    const usage = async (model?: string) => {
      const session = await stage.session();
      const set = { sessionId: session.id, configId: "model", value: model };
      if (model) await stage.agent.call("session/set_config_option", set);
      const { updates } = await session.run("hello");
      return updates.filter((u) =>
        u.sessionUpdate === "usage_update"
      ) as (Update & { size: number; used: number; cost?: Fields | null })[];
    };
    const known = await usage();
    assert(known.length > 0 && known.every((u) => u.size > u.used));
    for (const { cost } of known) if (cost) assertMatch(String(cost.currency), /^[A-Z]{3}$/);
    assertEquals(await usage("deepseek/nobody-knows-its-window"), []);
  }],
  ["46 an option may change in mid-turn; what is unknown is refused and changes nothing", async (stage) => {
    const [session, answer] = await opened(stage);
    const { id: sessionId } = session;
    const options = answer.configOptions as Option[];
    assert(options.every((o) => o.type === "select"), "no client here declared boolean options");
    const turn = await session.begin(script(["text", "on"], ["gate", "check-46"]));
    await turn.until((u) => chunkText(u) !== "");
    const set = (configId: string, value: unknown) =>
      stage.agent.request("session/set_config_option", { sessionId, configId, value });
    const changed = (await set("permission", "read-only")).result!.configOptions as Option[];
    assertEquals(changed.map((o) => o.id), options.map((o) => o.id));
    for (const wrong of [set("nope", "x"), set("permission", "yolo"), set("permission", true)]) {
      assertEquals((await wrong).error?.code, -32602);
    }
    await stage.agent.call("session/set_mode", { sessionId, modeId: "confirm" });
    stage.model.open("check-46");
    await turn.end();
    const told = stage.agent.updatesOf(
      sessionId,
    ) as (Update & { configOptions?: Option[]; currentModeId?: string })[];
    const last = told.findLast((u) => u.sessionUpdate === "config_option_update");
    const permission = last!.configOptions!.find((o) => o.id === "permission")!;
    assertEquals(permission.currentValue, "confirm");
    assert(permission.options.some((o) => o.value === permission.currentValue));
    const mode = told.findLast((u) => u.sessionUpdate === "current_mode_update");
    assert(["read-only", "confirm"].includes(String(mode?.currentModeId)));
  }],
  ["47 after its first turn a session has a title, the same in the list", async (stage) => {
    const session = await stage.session();
    await session.run(`Name me ${script(["text", "ok"])}`);
    const isTitle = (update: { sessionUpdate: string }) => update.sessionUpdate === "session_info_update";
    const told = await stage.agent.until((m) => isTitle(updateIn(m, session.id) ?? { sessionUpdate: "" }));
    const { sessions } = await stage.agent.call("session/list", place(stage));
    const entry = (sessions as Fields[]).find((s) => s.sessionId === session.id);
    assertEquals(entry?.title, updateIn(told.message)!.title);
  }],
  ["48 a notice goes to clients that show notices, to others it is a message", async (stage) => {
    const flaky = script(["flaky", 1, 503], ["text", "ok"]);
    const kinds = (client: Fields) =>
      withAgent(stage, { client }, async () => {
        const { updates } = await (await stage.session()).run(`${JSON.stringify(client)}\n${flaky}`);
        return [updates.some((u) => u.sessionUpdate === "notice"), textOf(updates) !== "ok"];
      });
    assertEquals(await kinds({ session: { notices: {} } }), [true, false]);
    assertEquals(await kinds(plainCapabilities), [false, true]);
  }],
];
