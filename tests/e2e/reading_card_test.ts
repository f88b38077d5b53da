import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainCapabilities, terminalCapabilities } from "../support/capabilities.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { cardsOf, onlyCard, terminalText } from "../support/updates.ts";
import type { Stage } from "../support/stage.ts";
import type { Update } from "../support/wire.ts";

const files = { "a__b__.ts": "one\ntwo\nthree\n", "sub/c.ts": "needle\n" };

for (const [name, client] of Object.entries({ terminal: terminalCapabilities, plain: plainCapabilities })) {
  onStage(`a reading command says what it reads (${name} client)`, { client, files }, async (stage, t) => {
    const session = await stage.session();
    const run = async (command: string, args = {}) => {
      const turn = await session.run(script(["bash", command, args], ["text", "ok"]));
      const card = onlyCard(turn.updates);
      return { ...card, turn };
    };
    const output = ({ id, turn, updates }: Awaited<ReturnType<typeof run>>) =>
      name === "terminal" ? terminalText(turn.updates, id) : JSON.stringify(updates.at(-1)?.content);

    await t.step("kind and places change, title, terminal and output stay", async () => {
      const command = "sed -n '2,3p' a__b__.ts";
      const ran = await run(command, { description: "Look" });
      const { call, id, last } = ran;
      assertEquals([call.title, call.kind], [command, "read"]);
      assertEquals(call.locations, [{ path: stage.path("a__b__.ts"), line: 2 }]);
      assertEquals(call.rawInput, { command, description: "Look" });
      const text = { type: "content", content: { type: "text", text: "Look" } };
      if (name === "terminal") {
        assertEquals(call.content, [text, { type: "terminal", terminalId: id }] as unknown);
        assertEquals(call._meta?.terminal_info, { terminal_id: id, cwd: stage.workspace });
        assertEquals(last._meta?.terminal_exit?.exit_code, 0);
      } else assertEquals(call.content, [text] as unknown);
      assertStringIncludes(output(ran), name === "terminal" ? "two\nthree\n" : "two\\nthree\\n");
      assertEquals(last.status, "completed");
    });

    await t.step("places are told from the command's own directory", async () => {
      const { call, last } = await run("rg needle c.ts || true", { workdir: "sub" });
      assertEquals([call.kind, call.locations, last.status], ["execute", undefined, "completed"]);
      const plain = await run("grep -n needle c.ts", { workdir: "sub" });
      assertEquals([plain.call.kind, plain.call.locations], ["search", [{ path: stage.path("sub/c.ts") }]]);
    });

    await t.step("a failure is shown as any other command's", async () => {
      const { call, last } = await run("cat gone");
      assertEquals([call.kind, last.status], ["read", "failed"]);
    });

    await t.step(
      "what runs is the command as it was written, with all that is more than reading",
      async () => {
        const { call } = await run("cat a__b__.ts > copy");
        assertEquals([call.kind, call.locations], ["execute", undefined]);
        assertEquals(await Deno.readTextFile(stage.path("copy")), files["a__b__.ts"]);
      },
    );

    await t.step("a background command stays one", async () => {
      const { call } = await run("cat a__b__.ts", { background: true });
      assertEquals([call.kind, call.locations], ["execute", undefined]);
    });

    await t.step("a replay, in another process, shows the same cards", async () => {
      const { call } = await run("cat a__b__.ts");
      await stage.stop();
      await stage.start({ client });
      const from = stage.agent.frames.length;
      await stage.load(session.id);
      const replayed = cardsOf(stage.agent.updatesOf(session.id, from));
      const shown = ({ kind, title, locations }: Update) => ({ kind, title, locations });
      assertEquals(shown(replayed.at(-1)!.call), shown(call));
      assertEquals(replayed.map((card) => card.call.kind), [
        ...["read", "execute", "search", "read", "execute", "execute", "read"],
      ]);
    });
  });
}

/** Answers every question; gives the cards that were asked about. */
function answering(stage: Stage, optionId: string): Update[] {
  const asked: Update[] = [];
  stage.agent.onRequest = ({ params }) => {
    asked.push(params?.toolCall as Update);
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
  return asked;
}

onStage("an escalated command is a command, whatever its words say", { files }, async (stage) => {
  const session = await stage.session();
  const ask = { escalate: "unconfined", justification: "To look at it" };
  const asked = answering(stage, "reject_once");
  const turn = await session.run(script(["bash", "cat a__b__.ts", ask], ["text", "ok"]));
  const { call } = onlyCard(turn.updates);
  assertEquals([call.kind, call.locations], ["execute", undefined]);
  assertEquals(asked.map((card) => card.kind), ["execute"]);
});

onStage("in the confirm preset the question has the command for its title", {
  files,
  env: { DSH_PRESET: "confirm" },
}, async (stage) => {
  const session = await stage.session();
  const asked = answering(stage, "allow_once");
  await session.run(script(["bash", "fd b", {}], ["bash", "cat a__b__.ts"], ["text", "ok"]));
  assertEquals(asked.map(({ title, kind }) => [title, kind]), [["fd b", "search"]]);
  assert(stage.model.told.includes("two"));
});
