import { assert, assertEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { plainCapabilities } from "../support/capabilities.ts";
import { contentText, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf, isTool } from "../support/updates.ts";
import type { Update } from "../support/wire.ts";

const LOOK = { content: "Look at `a.ts`", status: "completed", priority: "high" };
const TEST = { content: "Run the\n tests ✓ データ", status: "in_progress" };

function plansOf(updates: readonly Update[]): unknown[] {
  return updates.filter((u) => u.sessionUpdate === "plan").map((u) => u.entries);
}

function toldOf(stage: Stage): string {
  return contentText(stage.model.lastCall.messages.findLast((m) => m.role === "tool")?.content);
}

onStage("a plan", { client: plainCapabilities, env: { DSH_PRESET: "read-only" } }, async (stage, t) => {
  const session = await stage.session();
  const run = (args: unknown) => session.run(script(["raw", "plan", JSON.stringify(args)], ["text", "ok"]));

  await t.step("is shown whole, without a card and without a question", async () => {
    const { updates } = await run({ entries: [LOOK, TEST] });
    assertEquals(plansOf(updates), [[
      LOOK,
      { content: "Run the tests ✓ データ", status: "in_progress", priority: "medium" },
    ]]);
    assertEquals(updates.filter(isTool), []);
    assertEquals(toldOf(stage), "The user sees the plan.");
  });

  await t.step("that is empty takes the last one away", async () => {
    assertEquals(plansOf((await run({ entries: [] })).updates), [[]]);
  });

  await t.step("with wrong arguments is told to the model alone", async () => {
    const wrong = [
      { entries: [{ content: "x", status: "done" }] },
      { entries: [{ content: " ", status: "pending" }] },
      { entries: [{ content: "x".repeat(501), status: "pending" }] },
      { entries: Array(51).fill(LOOK) },
      { todos: [] },
      "no object",
    ];
    for (const args of wrong) {
      const { updates } = await run(args);
      assertEquals([plansOf(updates), updates.filter(isTool)], [[], []]);
      assertHas(toldOf(stage), /Wrong arguments|not a valid JSON object/);
    }
  });

  await t.step("of the greatest size stays within a frame", async () => {
    const { updates } = await run({
      entries: Array(50).fill({ ...TEST, content: "\u0001データ".repeat(125) }),
    });
    assertEquals((plansOf(updates)[0] as unknown[]).length, 50); // the stage checks every line's length
  });

  await t.step("comes behind the calls in front of it, and both behind the other", async () => {
    const plan = (status: string) => ["tool", "plan", { entries: [{ content: "Wait", status }] }] as const;
    const { updates } = await session.run(script(
      ["par", [plan("in_progress"), ["bash", "sleep 0.2"], plan("completed")]],
      ["text", "ok"],
    ));
    const order = updates.filter((u) => isTool(u) || u.sessionUpdate === "plan").map((u) =>
      u.sessionUpdate === "plan" ? u.entries?.[0]?.status : u.status
    );
    assertEquals(cardsOf(updates).length, 1);
    assertEquals([order.indexOf("in_progress") < order.lastIndexOf("completed"), order.at(-1)], [
      true,
      "completed",
    ]);
  });

  await t.step("that was cancelled before its turn leaves no card either", async () => {
    const turn = await session.begin(
      script(["par", [["bash", "sleep 60"], ["tool", "plan", { entries: [LOOK] }]]], ["text", "ok"]),
    );
    await turn.until((u) => u.status === "in_progress", "the command");
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, plansOf(updates), cardsOf(updates).length], ["cancelled", [], 1]);
  });

  await t.step("is in the text of the session", async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "-A",
        new URL("../../mod.ts", import.meta.url).href,
        "sessions",
        "show",
        session.id,
      ],
      env: stage.environment(),
      clearEnv: true,
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertHas(text, "Plan:\n- [x] Look at `a.ts`\n- [~] Run the tests ✓ データ");
    assert(!text.includes("* `plan`"), "the call itself is not told");
  });
});
