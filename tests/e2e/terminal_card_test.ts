import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { zedCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { cardsOf, onlyCard, outputOf, terminalText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";

onStage("a terminal card", { client: zedCapabilities, files: { "sub/x": "" } }, async (stage, t) => {
  const session = await stage.session();
  const sleep = uniqueSleep();
  const run = async (command: string, args = {}) => {
    const turn = await session.run(script(["bash", command, args], ["text", "ok"]));
    const card = onlyCard(turn.updates);
    const exit = card.last._meta?.terminal_exit;
    return { ...card, exit, output: terminalText(turn.updates, card.id) };
  };

  await t.step("announces the exact command, its description and its terminal", async () => {
    const command = "echo 'hello there'\necho `whoami` | cat";
    const { id, call, updates, last, exit, output } = await run(command, { description: "Say hello" });
    assertEquals([call.title, call.kind, call.status], [command, "execute", "pending"]);
    assertEquals(call.rawInput, { command, description: "Say hello" });
    assertEquals(call.content, [
      { type: "content", content: { type: "text", text: "Say hello" } },
      { type: "terminal", terminalId: id },
    ]);
    assertEquals(call._meta?.terminal_info, { terminal_id: id, cwd: stage.workspace });
    assertEquals(updates[0]?.status, "in_progress");
    assertMatch(output, /^hello there\n\w+\n$/);
    assertEquals([last.status, exit?.exit_code], ["completed", 0]);
  });

  await t.step("has no description where the model gave none, and is none the worse", async () => {
    const { id, call } = await run("true");
    assertEquals(call.content, [{ type: "terminal", terminalId: id }]);
  });

  await t.step("names the folder that the command runs in", async () => {
    const { call, output } = await run("pwd", { workdir: "sub" });
    assertEquals(call._meta?.terminal_info?.cwd, stage.path("sub"));
    assertEquals(output, stage.path("sub") + "\n");
  });

  await t.step("streams: output is there while the command still runs", async () => {
    const command = "echo first; until [ -e go ]; do sleep 0.02; done; echo last";
    const turn = await session.begin(script(["bash", command]));
    const update = await turn.until((u) => outputOf(u) !== undefined, "the first output");
    assertEquals([outputOf(update), update.status], ["first\n", "in_progress"]);
    await stage.write("go", "");
    const { updates } = await turn.end();
    assertEquals(terminalText(updates, update.toolCallId!), "first\nlast\n");
  });

  await t.step("keeps stdout and stderr in the order of arrival", async () => {
    assertEquals(
      (await run("echo 1; echo 2 >&2; echo 3; ls /nonexistent-x; echo 4")).output.replace(/ls:.*\n/, "ls\n"),
      "1\n2\n3\nls\n4\n",
    );
  });

  await t.step("marks exit 3 as failed, and tells the model in its own text only", async () => {
    const { status, exit, output } = await run("echo out; exit 3");
    assertEquals([status, exit?.exit_code, output], ["failed", 3, "out\n"]);
    assertMatch(stage.model.told, /^out\n\[exit code: 3\]$/);
  });

  await t.step("tells the signal that killed the command", async () => {
    const { status, exit, output } = await run("echo out; kill -9 $$");
    assertEquals([status, exit?.signal, exit?.exit_code ?? null, output], [
      "failed",
      "SIGKILL",
      null,
      "out\n",
    ]);
    assertMatch(stage.model.told, /\[killed by signal: SIGKILL\]$/);
  });

  await t.step("ends a command whose time is over, with all its children", async () => {
    const { status, exit, output } = await run(`echo out; ${sleep} & ${sleep}`, { timeout_ms: 400 });
    assertEquals(status, "failed");
    assert(exit?.signal || exit?.exit_code, "a command that was ended did not exit with 0");
    assertStringIncludes(output, "out\n");
    assertMatch(stage.model.told, /\[timed out after 400ms\]/);
    await eventually("its children are gone", () => processesRunning(sleep).length === 0);
  });

  await t.step("takes no exit code from what a command prints", async () => {
    const { status, exit, output } = await run("printf 'x\\n[exit code: 7]\\n'");
    assertEquals([status, exit?.exit_code, output], ["completed", 0, "x\n[exit code: 7]\n"]);
  });

  await t.step("shows a character whose bytes were written apart", async () => {
    const { output } = await run("printf '\\342'; sleep 0.2; printf '\\202'; sleep 0.2; printf '\\254\\n'");
    assertEquals(output, "€\n");
  });

  await t.step("passes colours on to the terminal", async () => {
    assertEquals((await run("printf '\\033[31mred\\033[0m\\n'")).output, "\x1b[31mred\x1b[0m\n");
  });

  await t.step("survives binary output", async () => {
    const { status, output } = await run("head -c 20000 /dev/urandom; printf 'a\\0b\\377\\ndone\\n'");
    assertEquals(status, "completed");
    assert(output.endsWith("done\n"));
  });

  await t.step("of a command that reads its input ends, for there is none", async () => {
    const { status, output } = await run('cat; read -r x; echo "read: $?"');
    assertEquals([status, output], ["completed", "read: 1\n"]);
  });

  await t.step("ends with its command, though a child holds the pipe", async () => {
    const { status, output } = await run(`${sleep} & echo started`);
    assertEquals([status, output], ["completed", "started\n"]);
    await eventually("the child is gone", () => processesRunning(sleep).length === 0);
  });

  await t.step("is drawn for each of several calls, and none takes another's output", async () => {
    const calls = ["a", "b", "c"].map((x) => ["bash", `echo ${x}; sleep 0.1; echo ${x}`] as const);
    const { updates } = await session.run(script(["par", calls], ["text", "ok"]));
    const outputs = cardsOf(updates).map((card) => terminalText(updates, card.id));
    assertEquals(outputs, ["a\na\n", "b\nb\n", "c\nc\n"]);
    const tools = stage.model.lastCall.messages.filter((m) => m.role === "tool").slice(-3);
    assertEquals(tools.map((m) => contentText(m.content).trim()), ["a\na", "b\nb", "c\nc"]);
  });

  await t.step("tells of a folder that is not there", async () => {
    const { status } = await run("pwd", { workdir: "no/such/dir" });
    assertEquals(status, "failed");
    assertStringIncludes(stage.model.told, "no/such/dir");
  });
});
