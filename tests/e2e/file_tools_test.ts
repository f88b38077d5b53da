import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { zedCapabilities } from "../support/capabilities.ts";
import { editorFiles } from "../support/editor.ts";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, toolContent } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

const LONG = Array.from({ length: 400 }, (_, i) => `line ${i + 1}\n`).join("");

onStage("a file tool", { files: { "a.txt": "one\ntwo\ntwo\n", "long.txt": LONG } }, async (stage, t) => {
  const session = await stage.session();
  const use = async (tool: string, args: Fields) =>
    onlyCard((await session.run(script(["tool", tool, args], ["text", "ok"]))).updates);
  const diffOf = (card: Awaited<ReturnType<typeof use>>) =>
    [card.call, ...card.updates].flatMap(toolContent).findLast((c) => c.type === "diff");
  const locationsOf = (card: Awaited<ReturnType<typeof use>>) =>
    [card.call, ...card.updates].flatMap((u) => u.locations ?? []).map((l) => l.path);

  await t.step("reads a file by relative or absolute path, and says where", async () => {
    for (const path of ["a.txt", stage.path("a.txt")]) {
      const card = await use("read", { path });
      assertEquals([card.call.kind, card.status], ["read", "completed"]);
      assert(locationsOf(card).includes(stage.path("a.txt")));
      assertMatch(stage.model.told, /one\n.*two\n.*two/);
    }
  });

  await t.step("reads a part of a file", async () => {
    await use("read", { path: "long.txt", offset: 200, limit: 2 });
    assertStringIncludes(stage.model.told, "line 200");
    assertStringIncludes(stage.model.told, "line 201");
    assert(!stage.model.told.includes("line 202\n"));
    assert(!stage.model.told.includes("line 199\n"));
  });

  await t.step("fails for a file that is not there, and the turn goes on", async () => {
    const card = await use("read", { path: "missing.txt" });
    assertEquals(card.status, "failed");
    assertMatch(stage.model.told, /missing\.txt/);
  });

  await t.step("does not hang on a FIFO or a device", async () => {
    await new Deno.Command("mkfifo", { args: [stage.path("fifo")] }).output();
    for (const path of ["fifo", "/dev/zero"]) assertEquals((await use("read", { path })).status, "failed");
  });

  await t.step("writes a new file and shows it as a diff without an old text", async () => {
    const card = await use("write", { path: "sub/new.txt", content: "fresh\n" });
    assertEquals([card.call.kind, card.status], ["edit", "completed"]);
    assertEquals(diffOf(card), { type: "diff", path: stage.path("sub/new.txt"), newText: "fresh\n" });
    assert(locationsOf(card).includes(stage.path("sub/new.txt")));
    assertEquals(await Deno.readTextFile(stage.path("sub/new.txt")), "fresh\n");
  });

  await t.step("edits a file and shows hunks with context, not the whole file", async () => {
    const card = await use("edit", { path: "long.txt", old_string: "line 200\n", new_string: "line CC\n" });
    const diff = diffOf(card);
    assertEquals([card.call.kind, card.status, diff?.path], ["edit", "completed", stage.path("long.txt")]);
    assertStringIncludes(diff?.oldText ?? "", "line 199\nline 200\nline 201\n");
    assertStringIncludes(diff?.newText ?? "", "line 199\nline CC\nline 201\n");
    assert((diff?.oldText ?? "").split("\n").length < 30, "a hunk, not the file");
    assert(locationsOf(card).includes(stage.path("long.txt")));
    assertEquals(await Deno.readTextFile(stage.path("long.txt")), LONG.replace("line 200\n", "line CC\n"));
  });

  await t.step("refuses an edit that fits nowhere or in several places, and leaves the file", async () => {
    for (
      const [old_string, why] of [["two", /unique|2|several|more than once|times/i], [
        "four",
        /not found|no match|does not/i,
      ]] as const
    ) {
      const card = await use("edit", { path: "a.txt", old_string, new_string: "X" });
      assertEquals(card.status, "failed");
      assertMatch(stage.model.told, why);
      assertEquals(await Deno.readTextFile(stage.path("a.txt")), "one\ntwo\ntwo\n");
    }
  });

  await t.step("replaces all where it is asked to", async () => {
    const card = await use("edit", { path: "a.txt", old_string: "two", new_string: "2", replace_all: true });
    assertEquals(card.status, "completed");
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "one\n2\n2\n");
  });

  await t.step("writes nothing outside of the workspace, by whatever way", async () => {
    await Deno.symlink(stage.outside, stage.path("link"));
    for (const path of [`${stage.outside}/w.txt`, "../outside/w.txt", "link/w.txt"]) {
      assertEquals((await use("write", { path, content: "x" })).status, "failed");
    }
    assertEquals(namesIn(stage.outside), []);
  });

  await t.step("with bad arguments fails, and the model is told", async () => {
    for (const args of [{}, { path: 5 }, { path: "" }]) {
      assertEquals((await use("read", args)).status, "failed");
    }
    assertNotEquals(stage.model.told, "");
  });

  await t.step("that does not exist fails, and the turn goes on", async () => {
    const card = await use("teleport", { where: "home" });
    assertEquals(card.status, "failed");
    assertStringIncludes(stage.model.told, "teleport");
  });
});

onStage("an editor that offers its files is no hindrance to read and edit", {
  client: zedCapabilities,
  files: { "a.txt": "one\n" },
}, async (stage) => {
  stage.agent.onRequest = editorFiles;
  const session = await stage.session();
  const { updates } = await session.run(script(
    ["tool", "edit", { path: "a.txt", old_string: "one", new_string: "1" }],
    ["text", "ok"],
  ));
  assertEquals(onlyCard(updates).status, "completed");
  assertEquals(await Deno.readTextFile(stage.path("a.txt")), "1\n");
});
