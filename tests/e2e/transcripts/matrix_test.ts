import schema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { assert, assertEquals } from "@std/assert";
import { builtinTools } from "../../../src/tool/registry.ts";
import { FIXTURES, SCENES } from "../../support/compare_transcripts.ts";
import type { Scene } from "../../support/scene.ts";
import type { Fields } from "../../support/wire.ts";

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

/** The scenes of each block that a prompt may hold, by what becomes of it. */
const BLOCKS: Readonly<
  Record<string, { readonly taken: readonly string[]; readonly refused: readonly string[] }>
> = {
  text: { taken: ["block-text", "block-text-several", "block-order"], refused: [] },
  resource_link: {
    taken: [
      "block-link",
      "block-link-directory",
      "block-link-page",
      "block-link-selection",
      "block-link-thread",
      "block-order",
    ],
    refused: [],
  },
  resource: {
    taken: [
      "block-embedded",
      "block-embedded-huge",
      "block-blob-text",
      "block-blob-binary",
      "block-blob-image",
      "block-blob-image-blind",
      "block-selection",
      "block-symbol",
      "block-thread",
      "block-diagnostics",
      "block-git-diff",
      "block-terminal",
    ],
    refused: [],
  },
  image: {
    taken: ["block-image", "block-image-nameless", "block-order"],
    refused: ["block-image-blind", "block-image-broken"],
  },
  audio: { taken: [], refused: ["block-audio"] },
};

Deno.test("every block of a prompt has scenes, which show what becomes of it", async (t) => {
  assertEquals(Object.keys(BLOCKS).sort(), blockTypes().sort());
  const named = Object.values(BLOCKS).flatMap(({ taken, refused }) => [...taken, ...refused]);
  assertEquals([...new Set(named)].sort(), SCENES.filter((name) => name.startsWith("block-")).sort());
  for (const [type, { taken, refused }] of Object.entries(BLOCKS)) {
    for (const name of [...taken, ...refused]) {
      const isRefused = refused.includes(name);
      await t.step(`${type} ${isRefused ? "refused" : "taken"}: ${name}`, async () => {
        const { prompt = [], further = [] } = await sceneOf(name);
        assert(prompt.some((block) => block.type === type), `${name} sends no ${type}`);
        const { error, sent, again } = await shownIn(name);
        assertEquals(error !== undefined, isRefused);
        assertEquals(again?.length, (isRefused ? 0 : prompt.length) + further.length);
        assertEquals(sent?.length, (isRefused ? 0 : 1) + further.length);
      });
    }
  }
});

Deno.test("every command that this program offers has a scene that types it", async (t) => {
  const offered = (await shownIn("slash-offered")).offered ?? [];
  assert(offered.some((command) => command.name === "review"), "one from a file is offered too");
  assert(offered.some((command) => command.name === "h:review"), "one of a server is offered too");
  for (const name of [...offered.map((command) => String(command.name))]) {
    if (name === "h:stuck") continue; // its server never answers
    await t.step(`/${name}`, async () => {
      const scenes = await Promise.all(SCENES.filter((scene) => scene.startsWith("slash-")).map(sceneOf));
      const typed = scenes.flatMap(({ prompt = [], further = [] }) => [prompt[0]?.text, ...further]);
      assert(typed.some((text) => String(text).split(" ")[0] === `/${name}`), `nobody types /${name}`);
    });
  }
});

/** The types of content blocks that the protocol knows. */
function blockTypes(): string[] {
  return schema.$defs.ContentBlock.oneOf.map(({ properties }) => properties.type.const);
}

async function sceneOf(name: string): Promise<Scene> {
  return JSON.parse(await Deno.readTextFile(new URL(`${name}/scene.json`, FIXTURES)));
}

/** What of a transcript is read here. */
interface Shown {
  readonly stopReason?: unknown;
  readonly error?: unknown;
  readonly offered?: readonly Fields[];
  readonly sent?: readonly unknown[];
  readonly again?: readonly unknown[];
}

async function shownIn(name: string): Promise<Shown> {
  return JSON.parse(await Deno.readTextFile(new URL(`${name}/plain.json`, FIXTURES)));
}
