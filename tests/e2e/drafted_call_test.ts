import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { zedCapabilities } from "../support/capabilities.ts";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { joinChunks, onlyCard, toolContent } from "../support/updates.ts";

const TEXT = "a line of the new file\n".repeat(400);
const COMMAND = `touch ran\ncat > made.txt <<'EOF'\n${TEXT}EOF\n`;

for (
  const [client, capabilities] of [["a Zed-like client", zedCapabilities], ["a plain client", {}]] as const
) {
  onStage(`a long call on ${client}`, { client: capabilities }, async (stage, t) => {
    const session = await stage.session();
    const begin = async (name: string, args: Record<string, string>, gate: string) => {
      const turn = await session.begin(script(["held", name, args, gate], ["text", "ok"]));
      await turn.until((u) => u.sessionUpdate === "tool_call", "the card of the call");
      return turn;
    };

    await t.step("is shown while the model writes it, and nothing of it is done", async () => {
      const turn = await begin("write", { path: "new.txt", content: TEXT }, "write");
      const { call } = onlyCard(turn.updates);
      assertEquals([call.title, call.kind, call.status], ["Write `new.txt`", "edit", "pending"]);
      assertEquals(call.locations, [{ path: stage.path("new.txt") }]);
      assertStringIncludes(String((call.rawInput as { content: string }).content), "a line of the new file");
      assertEquals(namesIn(stage.workspace), []);
      stage.model.open("write");
      const card = onlyCard((await turn.end()).updates);
      assertEquals(card.status, "completed");
      assertEquals(await Deno.readTextFile(stage.path("new.txt")), TEXT);
    });

    await t.step("of bash shows the command that it has so far, then all of it", async () => {
      const turn = await begin("bash", { command: COMMAND }, "bash");
      const { call } = onlyCard(turn.updates);
      assertEquals([call.kind, call.status], ["execute", "pending"]);
      assert(call.title!.startsWith("touch ran\n") && call.title!.endsWith("…"));
      assert(!namesIn(stage.workspace).includes("ran"));
      stage.model.open("bash");
      const { updates, card } = onlyCardOf(await turn.end());
      assertEquals(card.status, "completed");
      assertExists(updates.find((u) => u.title?.endsWith("EOF\n")), "the whole command was never shown");
      assertEquals(await Deno.readTextFile(stage.path("made.txt")), TEXT);
    });

    await t.step("of bash in another directory ends up in a terminal of that directory", async () => {
      await Deno.mkdir(stage.path("sub"));
      const turn = await begin("bash", { command: `${COMMAND}pwd`, workdir: "sub" }, "sub");
      stage.model.open("sub");
      const { updates } = await turn.end();
      const cwd = updates.findLast((u) => u._meta?.terminal_info)?._meta?.terminal_info?.cwd;
      assertEquals(cwd, client === "a plain client" ? undefined : stage.path("sub"));
    });

    await t.step("that is cancelled is closed, was not run, and the model never hears of it", async () => {
      const turn = await begin("write", { path: "never.txt", content: TEXT }, "never");
      session.cancel();
      const { stopReason, updates } = await turn.end();
      const card = onlyCard(updates);
      assertEquals([stopReason, card.status], ["cancelled", "failed"]);
      assertStringIncludes(JSON.stringify(toolContent(card.last)), "Not run");
      assert(!namesIn(stage.workspace).includes("never.txt"));
      await session.run("Hello?");
      const calls = stage.model.lastCall.messages.flatMap((m) => m.tool_calls ?? []);
      assert(!JSON.stringify(calls).includes("never.txt"));
    });

    await t.step("whose reply breaks off is closed, and the next prompt works", async () => {
      const half = JSON.stringify({ path: "cut.txt", content: TEXT });
      const turn = await session.begin(script(["half", "write", half], ["text", "ok"]));
      assertExists((await turn.end()).answer.error);
      const card = onlyCard(turn.updates);
      assertEquals([card.call.title, card.status], ["Write `cut.txt`", "failed"]);
      assert(!namesIn(stage.workspace).includes("cut.txt"));
      assertEquals((await session.run("Go on.")).stopReason, "end_turn");
    });

    await t.step("is replayed as it was shown", async () => {
      const { updates } = await session.run(
        script(["tool", "write", { path: "again.txt", content: TEXT }], ["text", "ok"]),
      );
      const id = onlyCard(updates).id;
      const from = stage.agent.frames.length;
      await stage.load(session.id);
      const replay = stage.agent.updatesOf(session.id, from);
      const of = (list: typeof updates) => joinChunks(list.filter((u) => u.toolCallId === id));
      assertEquals(of(replay), of(updates));
    });
  });
}

function onlyCardOf(end: { updates: Parameters<typeof onlyCard>[0] }) {
  return { updates: end.updates, card: onlyCard(end.updates) };
}
