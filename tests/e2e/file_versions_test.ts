import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, toolContent, toolText } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

const FILES = { "a.txt": "one\ntwo\n", "b.txt": "b\n", "c.txt": "c\n", "empty.txt": "" };

onStage("a file that the model does not know as it is", { files: FILES }, async (stage, t) => {
  let session = await stage.session();
  const use = async (tool: string, args: Fields) =>
    onlyCard((await session.run(script(["tool", tool, args], ["text", "ok"]))).updates);
  const write = (path: string, content: string) => use("write", { path, content });
  const edit = (path: string, old_string: string, new_string: string) =>
    use("edit", { path, old_string, new_string });
  const read = (path: string) => use("read", { path });
  const text = (path: string) => Deno.readTextFile(stage.path(path));

  await t.step("is not overwritten before it was read", async () => {
    assertEquals((await write("a.txt", "new\n")).status, "failed");
    assertMatch(stage.model.told, /a\.txt exists, and you have not read it: read it first/);
    assertEquals(await text("a.txt"), "one\ntwo\n");
  });

  await t.step("is overwritten once it was read, and again, since the model wrote it", async () => {
    await read("a.txt");
    assertEquals((await write("a.txt", "new\n")).status, "completed");
    assertEquals((await write("a.txt", "newer\n")).status, "completed");
    assertEquals(await text("a.txt"), "newer\n");
  });

  await t.step("is not overwritten when the user has changed it since", async () => {
    await stage.write("a.txt", "the user's\n");
    assertEquals((await write("a.txt", "mine\n")).status, "failed");
    assertStringIncludes(stage.model.told, "has changed since you saw it last");
    assertEquals(await text("a.txt"), "the user's\n");
    await read("a.txt");
    assertEquals((await write("a.txt", "ours\n")).status, "completed");
  });

  await t.step("nor when a command has, while a command that changes nothing is no matter", async () => {
    await session.run(script(["bash", "touch a.txt; cp a.txt x; mv x a.txt"], ["text", "ok"]));
    assertEquals((await write("a.txt", "still ours\n")).status, "completed");
    await session.run(script(["bash", "echo more >> a.txt"], ["text", "ok"]));
    assertEquals((await write("a.txt", "lost\n")).status, "failed");
    assertEquals(await text("a.txt"), "still ours\nmore\n");
  });

  await t.step("is edited where the edit fits, and the model is told of the other change", async () => {
    await stage.write("a.txt", "one\ntwo\nthree\n");
    assertEquals((await edit("a.txt", "two", "2")).status, "completed");
    assertStringIncludes(stage.model.told, "somebody else had changed the file");
    assertEquals(await text("a.txt"), "one\n2\nthree\n");
  });

  await t.step("stays unknown after such an edit, until it is read", async () => {
    assertEquals((await write("a.txt", "lost\n")).status, "failed");
    await edit("a.txt", "three", "3");
    assertStringIncludes(stage.model.told, "somebody else");
    await read("a.txt");
    await edit("a.txt", "one", "1");
    assertEquals(stage.model.told.includes("somebody else"), false);
    assertEquals((await write("a.txt", "known\n")).status, "completed");
  });

  await t.step(
    "is edited without having been read, for the match proves enough, yet not overwritten",
    async () => {
      assertEquals((await edit("b.txt", "b", "B")).status, "completed");
      assertEquals((await write("b.txt", "lost\n")).status, "failed");
      assertEquals(await text("b.txt"), "B\n");
    },
  );

  await t.step("may be overwritten where nothing is lost by it", async () => {
    assertEquals((await write("empty.txt", "x\n")).status, "completed");
    const same = await write("c.txt", "c\n");
    assertEquals([same.status, toolText(same.last)], [
      "completed",
      "Unchanged: it had this content already.",
    ]);
    assertStringIncludes(stage.model.told, "nothing was written");
  });

  await t.step("is remembered over a load", async () => {
    await read("b.txt");
    await stage.write("c.txt", "changed meanwhile\n");
    await stage.stop();
    await stage.start();
    session = await stage.load(session.id);
    assertEquals((await write("b.txt", "known\n")).status, "completed");
    assertEquals((await write("c.txt", "lost\n")).status, "failed");
    assertStringIncludes(stage.model.told, "has changed since you saw it last");
  });
});

onStage("a file is written as the user was shown it, or not at all", {
  files: { "a.txt": "one\n" },
  env: { DSH_PRESET: "confirm" },
}, async (stage) => {
  const session = await stage.session();
  stage.agent.onRequest = async () => {
    await stage.write("a.txt", "changed while asked\n");
    return { result: { outcome: { outcome: "selected", optionId: "allow_once" } } };
  };
  const { updates } = await session.run(script(
    ["tool", "edit", { path: "a.txt", old_string: "one", new_string: "1" }],
    ["text", "ok"],
  ));
  assertEquals(onlyCard(updates).status, "failed");
  assertStringIncludes(stage.model.told, "changed since it was read");
  assertEquals(await Deno.readTextFile(stage.path("a.txt")), "changed while asked\n");
  assertEquals(toolContent(onlyCard(updates).last).filter((c) => c.type === "diff"), []);
});
