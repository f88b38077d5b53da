import { assert, assertEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { deltaCapabilities, plainCapabilities } from "../support/capabilities.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, outputOf, terminalText, toolContent, toolText } from "../support/updates.ts";

const LINES = 5_000;
const COUNT = Array.from({ length: LINES }, (_, i) => `${i + 1}\n`).join("");

onStage("a command without a terminal card", { client: plainCapabilities }, async (stage, t) => {
  const session = await stage.session();
  const run = async (command: string, args = {}) =>
    onlyCard((await session.run(script(["bash", command, args], ["text", "ok"]))).updates);

  await t.step("shows its description, then its output in a console block", async () => {
    const { call, last, status } = await run("echo one; echo two", { description: "Count" });
    assertEquals([call.title, call.kind, status], ["echo one; echo two", "execute", "completed"]);
    assertEquals(toolContent(call)[0]?.content?.text, "Count");
    assertEquals(toolContent(last)[0]?.content?.text, "Count", "content replaces: the description stays");
    assertHas(toolText(last), /```console\none\ntwo\n```/);
  });

  await t.step("shows output while it still runs", async () => {
    const turn = await session.begin(
      script(["bash", "echo first; until [ -e go ]; do sleep 0.02; done; echo last"]),
    );
    await turn.until((u) => toolText(u).includes("first\n"), "the first output");
    await stage.write("go", "");
    assertHas(toolText(onlyCard((await turn.end()).updates).last), /first\nlast\n/);
  });

  await t.step("says the exit code in words", async () => {
    const { last, status } = await run("echo out; exit 3");
    assertEquals(status, "failed");
    assertHas(toolText(last), "out\n");
    assertHas(toolText(last), /exit(ed)?\b.*\b3\b/i);
  });

  await t.step("says which signal killed it", async () => {
    const { last, status } = await run("kill -9 $$");
    assertEquals(status, "failed");
    assertHas(toolText(last), /SIGKILL/);
  });

  await t.step("fences output with more backticks than are in it", async () => {
    const text = toolText((await run("printf '```\\n`````\\n'")).last);
    assertHas(text, /^`{6,}console\n```\n`````\n`{6,}$/m);
  });

  await t.step("shows a long output whole at the end, and sends no more than twice of it", async () => {
    const card = await run(`seq 1 ${LINES}`);
    assertHas(toolText(card.last), COUNT);
    const sent = card.updates.reduce((sum, update) => sum + toolText(update).length, 0);
    assert(sent <= 2 * COUNT.length + 4_096, `${sent} characters for ${COUNT.length}`);
  });

  await t.step("shows head and tail of what fits into no message, and says so", async () => {
    const text = toolText((await run("seq 1 60000")).last);
    assertHas(text, "1\n2\n3\n");
    assertHas(text, "59999\n60000\n");
    assertHas(text, /omitted|truncated|left out/);
  });
});

onStage(
  "a client that knows only terminal_output_delta gets the terminal card under that key",
  { client: deltaCapabilities },
  async (stage) => {
    const { updates } = await (await stage.session()).run(script(["bash", "echo a; sleep 0.1; echo b"]));
    const card = onlyCard(updates);
    assertEquals(toolContent(card.call), [{ type: "terminal", terminalId: card.id }]);
    assertEquals(card.call._meta?.terminal_info, { terminal_id: card.id, cwd: stage.workspace });
    assertEquals(terminalText(updates, card.id), "a\nb\n");
    assertEquals(updates.filter((u) => outputOf(u) !== undefined && u._meta?.terminal_output), []);
    assertEquals(card.last._meta?.terminal_exit?.exit_code, 0);
  },
);
