import { assert, assertEquals } from "@std/assert";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FIXTURES, SCENES } from "../../support/compare_transcripts.ts";

const OUTCOMES = ["ok", "fails", "refused", "cancelled", "huge", "unicode"] as const;
type Outcome = typeof OUTCOMES[number];
type Cells = Readonly<Record<string, Partial<Readonly<Record<Outcome, string>>>>>;

/** Cells that there is no scene for, and why. */
const EXCUSED: Cells = {
  job_output: { refused: "it needs no leave" },
  job_kill: { refused: "it needs no leave" },
  plan: { refused: "it needs no leave" },
};

/** Cells whose scene is not named for them: what is over at once can only be cancelled before it begins. */
const ELSEWHERE: Cells = {
  read: { cancelled: "calls-cancelled-unrun" },
  glob: { cancelled: "calls-cancelled-unrun" },
  grep: { cancelled: "calls-cancelled-unrun" },
  plan: { cancelled: "calls-cancelled-unrun" },
};

const TOOLS = builtinTools().specs().map(({ name }) => name);

Deno.test("every tool has a scene for every outcome", async (t) => {
  for (const tool of TOOLS) {
    for (const outcome of OUTCOMES) {
      const name = ELSEWHERE[tool]?.[outcome] ?? `${tool.replaceAll("_", "-")}-${outcome}`;
      const excuse = EXCUSED[tool]?.[outcome];
      await t.step(`${tool} ${outcome}: ${excuse ?? name}`, async () => {
        assertEquals(SCENES.includes(name), excuse === undefined);
        if (excuse === undefined) await assertShows(name, tool, outcome);
      });
    }
  }
});

Deno.test("no tool that is gone is spoken of", () => {
  for (const tool of [...Object.keys(EXCUSED), ...Object.keys(ELSEWHERE)]) assert(TOOLS.includes(tool), tool);
});

/** The scene calls the tool, and what came of it is what it is named for. */
async function assertShows(name: string, tool: string, outcome: Outcome): Promise<void> {
  const scene = await Deno.readTextFile(new URL(`${name}/scene.json`, FIXTURES));
  assert(callsIn(JSON.parse(scene)).includes(tool), `${name} calls no ${tool}`);
  const shown = await Deno.readTextFile(new URL(`${name}/plain.json`, FIXTURES));
  assertEquals(JSON.parse(shown).stopReason, outcome === "cancelled" ? "cancelled" : "end_turn");
  // deno-lint-ignore no-control-regex -- ASCII is what it is about
  if (outcome === "unicode") assert(/[^\x00-\x7f]/.test(shown), `${name} is plain ASCII`);
  if (outcome === "huge") assert(shown.length > 8000 || shown.includes("[… "), `${name} is short`);
}

/** The tools that steps call, those of children too. */
function callsIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const [step, name] = Array.isArray(value) ? value : [];
  const called = step === "bash" ? ["bash"] : step === "tool" || step === "held" ? [name] : [];
  return [...called, ...Object.values(value).flatMap(callsIn)];
}
