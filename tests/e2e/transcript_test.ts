import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { plainCapabilities, terminalCapabilities } from "../support/capabilities.ts";
import { exists, namesIn } from "../support/files.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { Transcript } from "../support/transcript.ts";
import type { Fields } from "../support/wire.ts";

/** A scene of fixtures/<name>/scene.json: the workspace's files, and what the model does. */
interface Scene {
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const FIXTURES = new URL("../../fixtures/", import.meta.url);
const SCENES = namesIn(fromFileUrl(FIXTURES)).filter((name) =>
  exists(fromFileUrl(new URL(`${name}/scene.json`, FIXTURES)))
);
const CLIENTS: Readonly<Record<string, Fields>> = {
  terminal: terminalCapabilities,
  plain: plainCapabilities,
};
/** Set to rewrite the transcripts; what changed is then to be read in the diff. */
const UPDATE = Deno.env.get("UPDATE_TRANSCRIPTS") !== undefined;

for (const [client, capabilities] of Object.entries(CLIENTS)) {
  onStage(`the transcripts of a client: ${client}`, { client: capabilities }, async (stage, t) => {
    for (const name of SCENES) {
      await t.step(`${name} is as in fixtures/${name}/${client}.json`, () => compare(stage, name, client));
    }
  });
}

async function compare(stage: Stage, name: string, client: string): Promise<void> {
  const scene: Scene = JSON.parse(await Deno.readTextFile(new URL(`${name}/scene.json`, FIXTURES)));
  const actual = await perform(stage, name, scene);
  const file = new URL(`${name}/${client}.json`, FIXTURES);
  if (UPDATE) await Deno.writeTextFile(file, JSON.stringify(actual, null, 2) + "\n");
  assertEquals(actual, JSON.parse(await Deno.readTextFile(file)));
}

/** What the client was shown and the model was told of one scene. */
async function perform(stage: Stage, name: string, scene: Scene): Promise<unknown> {
  for (const [path, text] of Object.entries(scene.files ?? {})) await stage.write(`${name}/${path}`, text);
  await Deno.mkdir(stage.path(name), { recursive: true });
  const session = await stage.session(stage.path(name));
  const { updates, stopReason } = await session.prompt(script(...scene.steps));
  const transcript = new Transcript([[session.cwd, "$WORKSPACE"], [stage.root, "$ROOT"]]);
  const told = stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) =>
    contentText(m.content)
  );
  return { shown: transcript.updates(updates), told: transcript.normalize(told), stopReason };
}
