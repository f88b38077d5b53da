import { assert, assertEquals } from "@std/assert";
import { programCommand } from "../support/agent.ts";
import { terminalCapabilities } from "../support/capabilities.ts";
import { script } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { initializeParams, type Stage } from "../support/stage.ts";
import { outputOf } from "../support/updates.ts";
import { eventually, within } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";

/** Has a command run that is hard to end: it ignores signals, and its children left its process group. */
async function beBusy(stage: Stage, sleep: string): Promise<void> {
  const session = await stage.session();
  const command = `trap '' TERM HUP INT; (setsid ${sleep} > /dev/null 2>&1 &) ; ${sleep} & echo up; ${sleep}`;
  const turn = await session.begin(script(["bash", command], ["text", "late"]));
  await turn.until((u) => outputOf(u) !== undefined, "the command's output");
  await eventually("all of it runs", () => processesRunning(sleep).length >= 3);
}

async function assertGone(sleep: string): Promise<void> {
  await eventually("nothing of the tree lives on", () => processesRunning(sleep).length === 0);
}

onStage("the end of its input ends the agent with 0, and all that it runs", {}, async (stage) => {
  const sleep = uniqueSleep();
  await beBusy(stage, sleep);
  assertEquals((await stage.agent.closeInput()).code, 0);
  await assertGone(sleep);
});

onStage("SIGTERM ends the agent with 143, and all that it runs", {}, async (stage) => {
  const sleep = uniqueSleep();
  await beBusy(stage, sleep);
  assertEquals((await stage.agent.kill("SIGTERM")).code, 143);
  await assertGone(sleep);
});

onStage("SIGINT ends the agent with 130, and all that it runs", {}, async (stage) => {
  const sleep = uniqueSleep();
  await beBusy(stage, sleep);
  assertEquals((await stage.agent.kill("SIGINT")).code, 130);
  await assertGone(sleep);
});

onStage("SIGKILL of the agent ends all that it runs", {}, async (stage) => {
  const sleep = uniqueSleep();
  await beBusy(stage, sleep);
  assertEquals((await stage.agent.kill("SIGKILL")).signal, "SIGKILL");
  await assertGone(sleep);
});

onStage("an idle agent has no process beside it that was not asked for", {}, async (stage) => {
  await stage.session();
  const names = stage.agent.processes().map((p) => p.command);
  assert(names.length <= 2, names.join("\n"));
});

onEmptyStage(
  "a client that is gone while its pipe to the agent is held open ends the agent too",
  {},
  async (stage) => {
    const [program, ...args] = programCommand();
    await using child = new Deno.Command(program!, {
      args,
      cwd: stage.workspace,
      env: stage.environment(),
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const input = child.stdin.getWriter();
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const send = (id: number, method: string, params: Fields) =>
      input.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"));
    let seen = "";
    const until = async (text: string) => {
      while (!seen.includes(text)) seen += (await within(text, output.read())).value ?? "";
    };
    await send(1, "initialize", initializeParams(terminalCapabilities));
    await until("protocolVersion");
    await send(2, "session/new", { cwd: stage.workspace, mcpServers: [] });
    await until("sessionId");
    const sessionId = /"sessionId":"([^"]+)"/.exec(seen)?.[1];
    const sleep = uniqueSleep();
    const command = `echo begun-4711; while sleep 0.2; do echo more; done & ${sleep}`;
    await send(3, "session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: script(["bash", command]) }],
    });
    await until(`"begun-4711`);
    await output.cancel();
    await within("the agent's end", child.status);
    await input.abort().catch(() => {});
    await assertGone(sleep);
  },
);

onEmptyStage(
  "a last line, with its newline or without, is answered before the agent ends",
  {},
  async (stage) => {
    const line = (id: number, method: string, params: Fields) =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params });
    for (const end of ["\n", ""]) {
      const [program, ...args] = programCommand();
      await using child = new Deno.Command(program!, {
        ...{ args, cwd: stage.workspace, env: stage.environment(), clearEnv: true },
        ...{ stdin: "piped", stdout: "piped", stderr: "null" },
      }).spawn();
      const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let told = "";
      const until = async (answer: string) => {
        while (!told.includes(answer)) {
          const { value, done } = await output.read();
          assert(!done, `the agent ended without ${answer}`);
          told += value;
        }
      };
      const input = child.stdin.getWriter();
      const send = (text: string) => input.write(new TextEncoder().encode(text));
      await send(line(1, "initialize", initializeParams(terminalCapabilities)) + "\n");
      await within("the first answer", until('"id":1'));
      await send(line(2, "session/new", { cwd: stage.workspace, mcpServers: [] }) + "\n");
      await within("the second answer", until('"id":2'));
      await send(line(3, "session/list", {}) + end);
      await input.close();
      await within("the last answer", until('"id":3,"result":{"sessions":'));
      while (!(await within("the agent's end", output.read())).done) { /* what came behind it */ }
      assertEquals((await child.status).code, 0);
    }
  },
);
