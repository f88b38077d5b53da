import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { AgentProcess, programCommand } from "../support/agent.ts";
import { terminalCapabilities } from "../support/capabilities.ts";
import { exists } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import { API_KEY, initializeParams, type Stage } from "../support/stage.ts";
import { onlyCard, terminalText, toolText } from "../support/updates.ts";
import type { Fields, Message, Update } from "../support/wire.ts";

/** Puts something that is no program over each bash, in a mount namespace that only the command is in. */
const HIDE =
  'for bash in /usr/bin/bash /bin/bash /usr/local/bin/bash; do if [ -e "$bash" ]; then mount --bind /dev/null "$bash" || exit 1; fi; done; exec "$@"';
const withoutBash = (...command: string[]) => ["unshare", "-m", "sh", "-c", HIDE, "sh", ...command];

/** Only one who may mount can hide it. */
function canHideBash(): boolean {
  try {
    const [program, ...args] = withoutBash("true");
    return new Deno.Command(program!, { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

async function startWithoutBash(stage: Stage): Promise<AgentProcess> {
  const agent = new AgentProcess({
    env: stage.environment(),
    cwd: stage.workspace,
    marker: `HOME=${stage.home}`,
    secrets: [API_KEY],
    command: withoutBash(...programCommand()),
  });
  await agent.call("initialize", initializeParams(terminalCapabilities));
  return agent;
}

const NAME = "a machine without bash";

if (!canHideBash()) Deno.test({ name: NAME, ignore: true, fn: () => {} });
else {
  onEmptyStage(NAME, {}, async (stage, t) => {
    await using agent = await startWithoutBash(stage);
    const { sessionId } = await agent.call("session/new", { cwd: stage.workspace, mcpServers: [] });
    const session = new Session(agent, sessionId as string, stage.workspace);
    const asked: Message[] = [];
    const answer = (kind: string) => {
      agent.onRequest = (request) => {
        asked.push(request);
        const options = request.params?.options as { optionId: string; kind: string }[];
        const optionId = options.find((option) => option.kind === kind)?.optionId;
        return { result: { outcome: { outcome: "selected", optionId } } };
      };
    };
    const run = async (command: string, args: Fields = {}) => {
      const { updates } = await session.run(script(["bash", command, args], ["text", "ok"]));
      const card = onlyCard(updates);
      return { card, output: terminalText(updates, card.id), told: stage.model.told };
    };

    await t.step("runs what its stand-in does by itself unasked, in the workspace only", async () => {
      const { card, output } = await run("mkdir sub && echo hi > sub/a && cat sub/a");
      assertEquals([card.status, output, asked.length], ["completed", "hi\n", 0]);
      assertEquals(card.last._meta?.terminal_exit?.exit_code, 0);
      assertEquals((await run(`echo x > ${stage.home}/x`)).card.status, "failed");
      assertEquals(exists(`${stage.home}/x`), false);
    });

    await t.step("asks before it starts a program, and names it", async () => {
      answer("allow_once");
      const { card, output } = await run("printf 'b\\na\\n' | sort");
      assertEquals([card.status, output, asked.length], ["completed", "a\nb\n", 1]);
      const call = asked[0]!.params!.toolCall as Update;
      assertEquals(call.title, "printf 'b\\na\\n' | sort");
      assertMatch(toolText(call), /no bash.*\(printf, sort\)/);
    });

    await t.step("starts none when the user says no", async () => {
      answer("reject_once");
      const { card } = await run("touch a && mv a b && ls");
      assertEquals([card.status, exists(stage.path("b"))], ["failed", false]);
    });

    await t.step("refuses by name what it cannot do, before anything runs", async () => {
      const { card, told } = await run("echo x > ran; for i in 1 2; do echo $i; done");
      assertEquals([card.status, exists(stage.path("ran"))], ["failed", false]);
      assertStringIncludes(told, "cannot do for loops: nothing was run");
    });

    await t.step("reads and writes files", async () => {
      await session.run(script(["tool", "write", { path: "w", content: "text\n" }], ["text", "ok"]));
      await session.run(script(["tool", "read", { path: "w" }], ["text", "ok"]));
      assertMatch(stage.model.told, /1\ttext/);
    });

    await t.step("searches nothing, since ripgrep could not be confined, and says so", async () => {
      const before = asked.length;
      await session.run(script(["tool", "grep", { pattern: "text" }], ["text", "ok"]));
      assertMatch(stage.model.told, /no bash.*nothing was searched/);
      assertEquals(asked.length, before);
    });

    await t.step("runs jobs in the background", async () => {
      answer("allow_once");
      const { card } = await run("sleep 86471", { background: true });
      assertEquals(card.status, "completed");
      await session.run(script(["tool", "job_kill", { job_id: "job1" }], ["text", "ok"]));
      assert(stage.model.told.includes("[ended by job_kill]"));
    });
  });
}
