import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { exists } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, textOf, toolContent } from "../support/updates.ts";
import type { Fields, Message, Update } from "../support/wire.ts";

type Option = { readonly optionId: string; readonly kind: string; readonly name: string };

function optionsOf(request: Message): Option[] {
  return (request.params?.options ?? []) as Option[];
}

/** Picks the option of a kind, as a person does that clicks a button. */
function pick(kind: string): (request: Message) => Answer {
  return (request) => {
    const optionId = optionsOf(request).find((option) => option.kind === kind)?.optionId;
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
}

const NO_APPROVAL: [string, Answer][] = [
  ["cancelled", { result: { outcome: { outcome: "cancelled" } } }],
  ["an option that was not offered", { result: { outcome: { outcome: "selected", optionId: "nope" } } }],
  ["selected without an option", { result: { outcome: { outcome: "selected" } } }],
  ["an outcome that ACP lacks", { result: { outcome: { outcome: "approved" } } }],
  ["a text in place of an outcome", { result: { outcome: "allow" } }],
  ["nothing", { result: null }],
  ["an error", { error: { code: -32603, message: "the dialog broke" } }],
];

onStage("read-only asks before it writes", { env: { DSH_PRESET: "read-only" } }, async (stage, t) => {
  const session = await stage.session();
  const asked: Message[] = [];
  const answer = (respond: (request: Message) => Answer) => {
    stage.agent.onRequest = (request) => {
      asked.push(request);
      return respond(request);
    };
  };
  const write = (name: string) =>
    session.prompt(script(["tool", "write", { path: name, content: "x\n" }], ["text", "went on"]));

  await t.step("and writes when it is allowed, after the answer and not before", async () => {
    let existed: boolean | undefined;
    answer((request) => {
      existed = exists(stage.path("allowed.txt"));
      return pick("allow_once")(request);
    });
    const turn = await write("allowed.txt");
    assertEquals([turn.stopReason, existed], ["end_turn", false]);
    assertEquals(onlyCard(turn.updates).status, "completed");
    assertEquals(await Deno.readTextFile(stage.path("allowed.txt")), "x\n");
  });

  await t.step("and shows what it asks for", () => {
    const [request] = asked;
    assertEquals([request?.method, request?.params?.sessionId], ["session/request_permission", session.id]);
    const call = request!.params!.toolCall as Fields;
    assertMatch(String(call.title), /allowed\.txt/);
    assertEquals(call.kind, "edit");
    const kinds = optionsOf(request!).map((option) => option.kind);
    assert(kinds.includes("allow_once") && kinds.includes("reject_once"), kinds.join());
    assertEquals(kinds[0], "allow_once");
  });

  await t.step("and shows what would be replaced", async () => {
    await stage.write("existing.txt", "old words\n");
    await session.run(script(["tool", "read", { path: "existing.txt" }], ["text", "ok"]));
    answer(pick("reject_once"));
    await write("existing.txt");
    const shown = toolContent(asked.at(-1)!.params!.toolCall as Update);
    const diff = shown.find((entry) => entry.type === "diff");
    assertEquals([diff?.oldText, diff?.newText], ["old words\n", "x\n"]);
  });

  await t.step("and goes on with the turn when it is rejected, telling the model", async () => {
    answer(pick("reject_once"));
    const turn = await write("rejected.txt");
    assertEquals([turn.stopReason, textOf(turn.updates)], ["end_turn", "went on"]);
    assertEquals(onlyCard(turn.updates).status, "failed");
    assertEquals(exists(stage.path("rejected.txt")), false);
    assertMatch(stage.model.told, /reject|declin|den(y|ied)|not allowed|refus|said no/i);
  });

  for (const [what, reply] of NO_APPROVAL) {
    await t.step(`and does not take ${what} for a yes`, async () => {
      const before = asked.length;
      answer(() => reply);
      const turn = await write("unapproved.txt");
      assertEquals(asked.length, before + 1, "it was not asked");
      assert(["end_turn", "cancelled"].includes(String(turn.stopReason)), JSON.stringify(turn.answer));
      assertEquals(onlyCard(turn.updates).status, "failed");
      assertEquals(exists(stage.path("unapproved.txt")), false);
    });
  }

  await t.step("and ends the turn on cancel although the question is open", async () => {
    const before = asked.length;
    const never = Promise.withResolvers<Answer>();
    stage.agent.onRequest = (request) => {
      asked.push(request);
      return never.promise;
    };
    const turn = await session.begin(
      script(["tool", "write", { path: "open.txt", content: "x" }], ["text", "no"]),
    );
    await stage.agent.until(() => asked.length > before, { what: "the question" });
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, onlyCard(updates).status], ["cancelled", "failed"]);
    never.resolve(pick("allow_once")(asked.at(-1)!));
    await session.run("are you there?");
    assertEquals(exists(stage.path("open.txt")), false, "an answer that comes too late is no approval");
  });

  await t.step("but runs commands unasked, which cannot write", async () => {
    const before = asked.length;
    const turn = await session.run(script(["bash", "cat allowed.txt; echo no > made.txt"], ["text", "ok"]));
    assertEquals([asked.length, onlyCard(turn.updates).status], [before, "failed"]);
    assertEquals(exists(stage.path("made.txt")), false);
  });
});
