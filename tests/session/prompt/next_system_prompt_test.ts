import { assert, assertEquals, assertMatch } from "@std/assert";
import { buildConfig } from "../../../src/config/load.ts";
import { nextSystemPrompt, type PromptPlace } from "../../../src/session/prompt/next_system_prompt.ts";
import { type Ground, onGround } from "../guidance/guidance_rig.ts";

async function placeOn({ home, repo, root }: Ground): Promise<PromptPlace> {
  const config = await buildConfig({}, { HOME: home }, "linux");
  return { config, cwd: repo, roots: [], tempDir: `${root}/tmp`, preset: "workspace" };
}

Deno.test("nextSystemPrompt() sets nothing as long as the text is true, a new day aside", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "Use tabs.");
    const place = await placeOn(ground);
    const { event, notice } = await nextSystemPrompt(undefined, place);
    assert(event);
    assertEquals(notice, "Instructions: AGENTS.md");
    assertEquals(await nextSystemPrompt(event, place), {});
    const text = event.text.replace(`Date: ${event.date}`, "Date: 2001-02-03");
    assertEquals(await nextSystemPrompt({ ...event, text, date: "2001-02-03" }, place), {});
    assert((await nextSystemPrompt({ ...event, text }, place)).event, "a text of another day than it says");
  }));

Deno.test("nextSystemPrompt() sets another preset or root without telling the same files again", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "Use tabs.");
    await ground.write("more/x", "");
    const place = await placeOn(ground);
    const { event } = await nextSystemPrompt(undefined, place);
    for (const other of [{ preset: "confirm" as const }, { roots: [`${ground.root}/more`] }]) {
      const next = await nextSystemPrompt(event, { ...place, ...other });
      assertEquals([next.event === undefined, next.notice], [false, undefined]);
    }
    await ground.write("home/repo/AGENTS.md", "Use spaces.");
    assertMatch((await nextSystemPrompt(event, place)).notice!, /^Read again\./);
  }));

Deno.test("nextSystemPrompt() tells nothing where there never was anything", () =>
  onGround(async (ground) => {
    const place = await placeOn(ground);
    const { event, notice } = await nextSystemPrompt(undefined, place);
    assertEquals(notice, undefined);
    assertEquals((await nextSystemPrompt(event, { ...place, preset: "confirm" })).notice, undefined);
  }));
