import { assert, assertEquals, assertMatch } from "@std/assert";
import { isAbsolute } from "@std/path";
import { zedCapabilities } from "../../support/capabilities.ts";
import { editorFiles } from "../../support/editor.ts";
import { exists } from "../../support/files.ts";
import { script, type Step } from "../../support/model_script.ts";
import { memoryOf } from "../../support/process_tree.ts";
import {
  cardsOf,
  isChunk,
  onlyCard,
  outputOf,
  terminalText,
  textOf,
  toolContent,
  toolText,
} from "../../support/updates.ts";
import { pause } from "../../support/waiting.ts";
import type { Fields } from "../../support/wire.ts";
import { type Check, pick, withAgent } from "./check.ts";

/** What reads, makes and changes a file, and asks the user. */
const allOf = (file: string): Step[] => [
  ["tool", "read", { path: "a.txt" }],
  ["tool", "write", { path: file, content: "one\n" }],
  ["tool", "edit", { path: file, old_string: "one", new_string: "two" }],
  ["bash", "true"],
  ["tool", "ask_user", { question: "Which?", options: [{ label: "A" }, { label: "B" }] }],
  ["text", "ok"],
];

/** KiB that the agent may grow by while nobody reads. */
const GROWTH = 96 * 1024;

/** Tools, permission and load: 53–60. */
export const toolChecks: readonly Check[] = [
  ["53 a client is asked for nothing that it did not declare", async (stage) => {
    const asked = async (client: Fields, file: string) =>
      await withAgent(stage, { client }, async (agent) => {
        agent.onRequest = (request) =>
          request.method?.startsWith("fs/")
            ? editorFiles(request)
            : { result: { action: "decline", outcome: { outcome: "cancelled" } } };
        await (await stage.session()).prompt(script(...allOf(file)));
        return new Set(
          agent.frames.flatMap(({ message: m }) => m.method && m.id !== undefined ? [m.method] : []),
        );
      }); // each connection also watches that nothing undeclared is called
    assertEquals(await asked({}, "check-53-plain.txt"), new Set(["session/request_permission"]));
    assertEquals(
      await asked(zedCapabilities, "check-53-zed.txt"),
      new Set(["fs/read_text_file", "fs/write_text_file", "elicitation/create"]),
    );
  }],
  ["54 a call has an id of its own, is announced first, and always comes to an end", async (stage) => {
    const session = await stage.session();
    const all = [];
    for (let i = 0; i < 2; i++) {
      const { updates } = await session.run(
        script(["par", [["bash", "true"], ["bash", "false"], ["tool", "nope", {}]]], ["text", "ok"]),
      );
      all.push(...cardsOf(updates));
    }
    assertEquals(new Set(all.map((card) => card.id)).size, 6);
    for (const { call, updates } of all.slice(0, 2)) {
      assertEquals([call.status, updates[0]?.status], ["pending", "in_progress"]);
    }
    assertEquals(all.slice(0, 3).map((card) => card.status), ["completed", "failed", "failed"]);
  }],
  ["55 leave is asked before anything runs, and nothing but a yes is taken for one", async (stage) => {
    await withAgent(stage, { env: { DSH_PRESET: "confirm" } }, async (agent) => {
      const session = await stage.session();
      const file = stage.path("check-55.txt");
      const touch = script(["bash", "touch check-55.txt"], ["text", "went on"]);
      const answers = [
        { result: { outcome: { outcome: "selected", optionId: "nope" } } },
        { result: { outcome: "yes" } },
        { error: { code: -32603, message: "broken" } },
      ];
      for (const answer of answers) {
        agent.onRequest = () => answer;
        await session.prompt(touch);
        assertEquals(exists(file), false, JSON.stringify(answer));
      }
      agent.onRequest = pick("reject_once");
      const { updates } = await session.run(touch);
      assertEquals([onlyCard(updates).status, textOf(updates)], ["failed", "went on"]);
      let early: boolean | undefined;
      let announced: unknown;
      agent.onRequest = (request) => {
        early = exists(file);
        announced = (request.params?.toolCall as { toolCallId: string }).toolCallId;
        return pick("allow_once")(request);
      };
      const allowed = await session.run(touch);
      assertEquals([early, exists(file), announced], [false, true, onlyCard(allowed.updates).id]);
    });
  }],
  // oldText of a new file is left out, not null: some clients break on null, and the schema takes both.
  ["56 paths are absolute, lines count from 1, and a new file has no old text", async (stage) => {
    const { updates } = await (await stage.session()).run(script(
      ["tool", "write", { path: "sub/check-56.txt", content: "one\n" }],
      ["tool", "edit", { path: "sub/check-56.txt", old_string: "one", new_string: "two" }],
      ["text", "ok"],
    ));
    const locations = updates.flatMap((u) => u.locations ?? []);
    const diffs = updates.flatMap(toolContent).filter((c) => c.type === "diff");
    assert(locations.length > 0 && locations.every((l) => isAbsolute(l.path) && (l.line ?? 1) >= 1));
    assert(diffs.every((diff) => diff.path === stage.path("sub/check-56.txt")));
    assertEquals(diffs[0]?.oldText ?? null, null);
    assertEquals([diffs.at(-1)?.oldText, diffs.at(-1)?.newText], ["one\n", "two\n"]);
  }],
  ["57 a client without terminals reads the same in its card, to the last update", async (stage) => {
    const prompt = script(["bash", "echo shown-4711; exit 3", { description: "Show it" }], ["text", "ok"]);
    const rich = (await (await stage.session()).run(prompt)).updates;
    assertEquals(terminalText(rich, onlyCard(rich).id), "shown-4711\n");
    await withAgent(stage, { client: {} }, async () => {
      const { updates } = await (await stage.session()).run(prompt);
      const { last } = onlyCard(updates);
      assertMatch(toolText(last), /Show it[\s\S]*shown-4711[\s\S]*3/);
      assertEquals(updates.flatMap(toolContent).filter((c) => c.type === "terminal"), []);
    });
  }],
  ["58 an output of any bytes and any length is told as text, within bounds", async (stage) => {
    const session = await stage.session();
    const from = stage.agent.frames.length;
    const { updates } = await session.run(script(
      ["bash", String.raw`printf 'a\0b\xff\xfe\033[31mred\033[0m\n'`],
      ["bash", "head -c 50000000 /dev/zero; echo END"],
      ["text", "ok"],
    ));
    const [bytes, long] = cardsOf(updates).map((card) => terminalText(updates, card.id));
    assertMatch(bytes!, /^a.*b.*red/s);
    assert(long!.endsWith("END\n") && long!.length < 1_000_000);
    assert(stage.agent.frames.slice(from).every((frame) => frame.bytes < 64 * 1024));
  }],
  ["59 many sessions at once do not mix", async (stage) => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => stage.session()));
    const turns = await Promise.all(
      sessions.map((s, i) => s.run(script(["text", `I am ${i}.`, { chunks: 4, ms: 2 }]))),
    );
    assertEquals(turns.map(({ updates }) => textOf(updates)), sessions.map((_, i) => `I am ${i}.`));
    const ids = turns.map(({ updates }) => updates.find(isChunk)!.messageId);
    assertEquals(new Set(ids).size, 30);
  }],
  ["60 a reader that stops for a while costs bounded memory and loses nothing", async (stage) => {
    const { agent } = stage;
    const text = Array.from({ length: 300_000 }, (_, i) => `${i} `).join("");
    const session = await stage.session();
    await session.run("warm");
    const before = memoryOf(agent.pid, "VmRSS");
    agent.stopReading();
    const turn = await session.begin(script(["bash", "seq 1 100000"], ["text", text, { chunks: 1_000 }]));
    await pause(2_000);
    const growth = memoryOf(agent.pid, "VmRSS") - before;
    agent.readOn();
    const { updates } = await turn.end();
    assert(growth < GROWTH, `the agent grew by ${growth} KiB`);
    assertEquals(textOf(updates) === text, true);
    assertMatch(updates.flatMap((u) => outputOf(u) ?? []).join(""), /^1\n2\n3\n[\s\S]*\n100000\n$/);
  }],
];
