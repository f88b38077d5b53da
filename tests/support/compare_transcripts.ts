import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { exists, namesIn } from "./files.ts";
import { onEmptyStage } from "./on_stage.ts";
import { perform } from "./perform.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import type { Fields } from "./wire.ts";

/** Where the scenes are. */
export const FIXTURES: URL = new URL("../../fixtures/", import.meta.url);
/** The names of all scenes. */
export const SCENES: readonly string[] = namesIn(fromFileUrl(FIXTURES)).filter((name) =>
  exists(fromFileUrl(new URL(`${name}/scene.json`, FIXTURES)))
);
/** Set to rewrite the transcripts; what changed is then to be read in the diff. */
const UPDATE = Deno.env.get("UPDATE_TRANSCRIPTS") !== undefined;

/** The pages of a scene are served on this machine. */
const CONFIG = { fetch: { allowPrivate: ["127.0.0.1"] } };

/** The scenes in parts that can be played side by side: tools for files, what users send, and all others. */
const PARTS = {
  "files": (name: string) => /^(read|write|edit|glob|grep)-/.test(name),
  "prompts": (name: string) => /^(block|slash)-/.test(name),
  "all else": (name: string) => !PARTS.files(name) && !PARTS.prompts(name),
} as const;

/** Registers a test that plays a part of the scenes of the fixtures for one kind of client. */
export function compareTranscripts(
  client: string,
  capabilities: Fields,
  part: keyof typeof PARTS,
): void {
  onEmptyStage(
    `the transcripts of a client: ${client}, ${part}`,
    { client: capabilities },
    async (stage, t) => {
      const config = await stage.write("../config.jsonc", JSON.stringify(CONFIG));
      await stage.start({ env: { DSH_CONFIG: config } });
      for (const name of SCENES.filter(PARTS[part])) {
        await t.step(`${name} is as in fixtures/${name}/${client}.json`, () => compare(stage, name, client));
      }
    },
  );
}

async function compare(stage: Stage, name: string, client: string): Promise<void> {
  const scene: Scene = JSON.parse(await Deno.readTextFile(new URL(`${name}/scene.json`, FIXTURES)));
  const { live, replayed } = await perform(stage, name, scene);
  const expected = await fixture(`${name}/${client}.json`, JSON.stringify(live, null, 2) + "\n");
  assertEquals(live, JSON.parse(expected));
  assertEquals(replayed, live.shown, "a load shows something else");
}

/** What a fixture holds; with `UPDATE_TRANSCRIPTS` it is first made to hold `actual`. */
export async function fixture(path: string, actual: string): Promise<string> {
  const file = new URL(path, FIXTURES);
  if (UPDATE) await Deno.writeTextFile(file, actual);
  return await Deno.readTextFile(file);
}
