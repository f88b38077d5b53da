import { assertEquals, assertMatch } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { zedCapabilities } from "../support/capabilities.ts";
import { Editor } from "../support/editor.ts";
import { script, type Step } from "../support/model_script.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { onlyCard } from "../support/updates.ts";
import type { Message } from "../support/wire.ts";

interface Broken {
  readonly instead: Editor["instead"];
  /** What the log says. */
  readonly cause: RegExp;
  /** What it is not asked again; undefined where it is worth another try. */
  readonly lost: "fs/read" | "fs/write" | undefined;
}

const reads = (answer: Answer) => ({ method }: Message) =>
  method === "fs/read_text_file" ? answer : undefined;
/** Writes something else than what it was given, and says that it did. */
const writes = (change: (text: string) => string | undefined) => async ({ method, params }: Message) => {
  if (method !== "fs/write_text_file") return undefined;
  const text = change(String(params?.content));
  if (text !== undefined) await Deno.writeTextFile(String(params?.path), text);
  return { result: {} };
};
const error = (code: number) => ({ error: { code, message: "no such thing" } });

/** Ways in which clients are known, or must be expected, to have it wrong. */
const BROKEN: Record<string, Broken> = {
  "lacks the method": { instead: () => error(-32601), cause: /no such thing/i, lost: "fs/read" },
  "fails": { instead: () => error(-32603), cause: /no such thing/i, lost: undefined },
  "answers every read with an empty text": {
    instead: reads({ result: { content: "" } }),
    cause: /no text/,
    lost: "fs/read",
  },
  "answers with no text": { instead: reads({ result: { content: 5 } }), cause: /no text/, lost: "fs/read" },
  "answers with nothing": { instead: reads({ result: null }), cause: /no text/, lost: "fs/read" },
  "never answers": { instead: () => new Promise(() => {}), cause: /did not answer within/, lost: "fs/read" },
  "says that it wrote and did not": { instead: writes(() => undefined), cause: /neither/, lost: "fs/write" },
  "writes another text": { instead: writes(() => "something else\n"), cause: /neither/, lost: "fs/write" },
  "cuts what it writes": { instead: writes((text) => text.slice(0, 20)), cause: /neither/, lost: "fs/write" },
  "fails to write": {
    instead: ({ method }) => method === "fs/write_text_file" ? error(-32603) : undefined,
    cause: /no such thing/i,
    lost: undefined,
  },
};

for (const [name, { instead, cause, lost }] of Object.entries(BROKEN)) {
  onEmptyStage(`a client that ${name} is done without, and the log says so`, {}, async (stage) => {
    const log = `${stage.root}/log`;
    const text = "one two three four five six seven\n";
    await stage.write("a.txt", text);
    const agent = await stage.start({
      client: zedCapabilities,
      args: ["--log-level", "warn", "--log-file", log],
    });
    const editor = new Editor();
    editor.instead = instead;
    agent.onRequest = editor.answer;
    const session = await stage.session();
    const edit = async (old_string: string, new_string: string) => {
      const step: Step = ["tool", "edit", { path: "a.txt", old_string, new_string }];
      const { updates } = await session.run(script(step, ["text", "ok"]));
      assertEquals(onlyCard(updates).status, "completed");
    };
    await edit("one", "1");
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), text.replace("one", "1"));
    assertMatch(await Deno.readTextFile(log), cause);
    editor.taken();
    await edit("two", "2");
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), text.replace("one", "1").replace("two", "2"));
    const asked = new Set(editor.taken().map((line) => line.split(" ")[0]));
    if (lost) assertEquals(asked.has(lost), false);
    else assertEquals(asked.size > 0, true);
  });
}

/** As acpx answers where its user lets nobody write. */
const NO = {
  code: -32603,
  message: "Internal error",
  data: { details: "Permission denied for fs/write_text_file" },
};

onEmptyStage(
  "a client that says no to a write is obeyed: nothing is written behind its back",
  {},
  async (stage) => {
    await stage.write("a.txt", "one\n");
    const agent = await stage.start({ client: zedCapabilities });
    const editor = new Editor();
    editor.instead = ({ method }) => method === "fs/write_text_file" ? { error: NO } : undefined;
    agent.onRequest = editor.answer;
    const session = await stage.session();
    const step: Step = ["tool", "edit", { path: "a.txt", old_string: "one", new_string: "two" }];
    const { updates } = await session.run(script(step, ["text", "ok"]));
    assertEquals(onlyCard(updates).status, "failed");
    assertMatch(stage.model.told, /the editor refused it: Permission denied/);
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "one\n");
    editor.instead = () => undefined; // and is asked again the next time
    const again = await session.run(script(step, ["text", "ok"]));
    assertEquals(onlyCard(again.updates).status, "completed");
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "two\n");
  },
);
