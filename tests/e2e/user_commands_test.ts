import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { namesIn } from "../support/files.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { onlyCard, textOf } from "../support/updates.ts";
import type { Fields, Update } from "../support/wire.ts";

const COMMANDS = ".agents/commands";
const FILES = {
  ".git/HEAD": "ref: refs/heads/main\n",
  [`${COMMANDS}/review.md`]:
    "---\ndescription: Reviews a change\nargument-hint: <number>\n---\nReview change $ARGUMENTS.",
  [`${COMMANDS}/mine.md`]: "of the workspace",
  [`${COMMANDS}/status.md`]: "not the status",
};

/** The commands in the last list of them. */
function told(updates: readonly Update[]): Fields[] {
  const last = updates.findLast((u) => u.sessionUpdate === "available_commands_update");
  return (last as unknown as Fields | undefined)?.availableCommands as Fields[] ?? [];
}

/** The text of the last message that the model was sent as the user's. */
const asked = ({ model }: Stage) =>
  contentText(model.lastCall.messages.findLast((m) => m.role === "user")?.content);

async function writeOwn({ home }: Stage, name: string, text: string): Promise<void> {
  const dir = join(home, ".config", "dsh-acp", "commands");
  await Deno.mkdir(dir, { recursive: true });
  await Deno.writeTextFile(join(dir, name), text);
}

for (const [name, client] of Object.entries({ "a plain client": plainCapabilities, Zed: zedCapabilities })) {
  onStage(`commands from files, with ${name}`, { client, files: FILES }, async (stage, t) => {
    const { agent } = stage;
    await writeOwn(stage, "mine.md", "My own: $1 and $2");
    const session = await stage.session();

    await t.step("are told with the session: the user's before the workspace's, which say so", async () => {
      await agent.until(
        (m) => told([(m.params as Fields | undefined)?.update as Update].filter(Boolean)).length > 0,
        {
          from: 0,
          what: "the commands",
        },
      );
      const commands = told(agent.updatesOf(session.id));
      const find = (name: string) => commands.filter((c) => c.name === name);
      assertEquals(find("review"), [{
        name: "review",
        description: "(workspace) Reviews a change",
        input: { hint: "<number>" },
      }]);
      assertEquals(find("mine"), [{ name: "mine", description: "My own: $1 and $2" }]);
      assertEquals(find("status").length, 1);
    });

    await t.step("stand for their text: the model reads it, and the user's own words are kept", async () => {
      await session.run("/review 17\nand 18");
      assertEquals(asked(stage), "Review change 17\nand 18.");
      await session.run(`/mine "a b" $&`);
      assertEquals(asked(stage), "My own: a b and $&");
      await agent.call("session/close", { sessionId: session.id });
      const from = agent.frames.length;
      await stage.load(session.id);
      const said = agent.updatesOf(session.id, from).filter((u) => u.sessionUpdate === "user_message_chunk");
      assertEquals(textOf(said, "user_message_chunk"), `/review 17\nand 18/mine "a b" $&`);
      await session.run("And?");
      const history = stage.model.lastCall.messages.map((m) => contentText(m.content));
      assert(history.includes("Review change 17\nand 18."));
    });

    await t.step("lose nothing of what comes with them", async () => {
      await session.run([
        { type: "text", text: "/review 3 " },
        { type: "resource_link", uri: "file:///a/b.ts", name: "b.ts" },
        { type: "text", text: " with care" },
      ]);
      assertEquals(asked(stage), "Review change 3.\n[file /a/b.ts] with care");
    });

    await t.step("give way to this program's own; what is left out is said by /status", async () => {
      const calls = stage.model.calls.length;
      const text = textOf((await session.run("/status")).updates);
      assertStringIncludes(text, session.id);
      assertMatch(text, /left out: `.*status\.md: \/status is a command of this program/);
      assertEquals(stage.model.calls.length, calls);
    });

    await t.step("are read again with each prompt, and told when they changed", async () => {
      await stage.write(`${COMMANDS}/fresh.md`, "Fresh text");
      await stage.write(`${COMMANDS}/review.md`, "Reviewed otherwise");
      const { updates } = await session.run("/fresh");
      assertEquals(asked(stage), "Fresh text");
      assert(told(updates).some((c) => c.name === "fresh"));
      assertEquals(
        told(updates).find((c) => c.name === "review")?.description,
        "(workspace) Reviewed otherwise",
      );
      assertEquals(told((await session.run("/review")).updates), []);
      await Deno.remove(stage.path(COMMANDS, "fresh.md"));
      const gone = await session.run("/fresh");
      assertEquals(asked(stage), "/fresh");
      assert(!told(gone.updates).some((c) => c.name === "fresh"));
    });
  });
}

onStage(
  "a workspace's commands grant nothing",
  { client: plainCapabilities, files: FILES },
  async (stage) => {
    const secret = join(stage.outside, "planted.md");
    await Deno.writeTextFile(secret, "planted");
    await Deno.symlink(secret, stage.path(COMMANDS, "linked.md"));
    const run = script(["bash", `echo no > ${stage.outside}/f`]);
    await stage.write(
      `${COMMANDS}/run.md`,
      `---\nallowed-tools: Bash(*)\npermission: full-access\n---\n!\`touch x\`\n${run}`,
    );
    const session = await stage.session();
    await session.run("/linked");
    assertEquals(asked(stage), "/linked");
    const { updates } = await session.run("/run");
    assertEquals(onlyCard(updates).status, "failed"); // the command ran, confined as ever
    assertEquals(namesIn(stage.outside), ["planted.md"]);
    assert(!namesIn(stage.workspace).includes("x"));
  },
);
