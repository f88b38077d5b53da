import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { zedCapabilities } from "../support/capabilities.ts";
import { Editor } from "../support/editor.ts";
import { edit, read, use, write } from "../support/file_steps.ts";
import { exists, namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";
import { pick } from "./checks/check.ts";

onStage("an editor that offers its files", {
  client: zedCapabilities,
  files: { "a.txt": "one\ntwo\n", "crlf.txt": "\uFEFFone\r\ntwo\r\n", "mixed.txt": "one\r\ntwo\nthree\n" },
}, async (stage, t) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const session = await stage.session();
  const at = (name: string) => stage.path(name);
  const disk = (name: string) => Deno.readTextFile(at(name));
  const wrote = () => editor.taken().filter((line) => line.startsWith("fs/write"));

  await t.step("shows its unsaved changes to the model", async () => {
    editor.buffers.set(at("a.txt"), "one\nunsaved\n");
    await use(session, read("a.txt"));
    assertMatch(stage.model.told, /one\n.*unsaved/);
    assertEquals(editor.taken(), [`fs/read ${at("a.txt")}`]);
    assertEquals(editor.asked, []);
  });

  await t.step("is edited by its own text, which stays what the user typed otherwise", async () => {
    assertEquals((await use(session, edit("a.txt", "one", "1"))).status, "completed");
    assertEquals([editor.buffers.get(at("a.txt")), await disk("a.txt")], ["1\nunsaved\n", "1\nunsaved\n"]);
    assertEquals(wrote(), [`fs/write ${at("a.txt")}`]);
  });

  await t.step("gets new files, and those in new directories are made without it", async () => {
    await use(session, write("new.txt", "fresh\n"));
    assertEquals([wrote(), await disk("new.txt")], [[`fs/write ${at("new.txt")}`], "fresh\n"]);
    await use(session, write("sub/dir/new.txt", "fresh\n"));
    assertEquals([wrote(), await disk("sub/dir/new.txt")], [[], "fresh\n"]);
  });

  await t.step("costs no file its line ends or its byte order mark", async () => {
    await use(session, edit("crlf.txt", "one\ntwo", "1\n2"));
    assertEquals(wrote(), [`fs/write ${at("crlf.txt")}`]);
    assertEquals([editor.buffers.get(at("crlf.txt")), await disk("crlf.txt")], [
      "1\n2\n",
      "\uFEFF1\r\n2\r\n",
    ]);
    editor.buffers.set(at("crlf.txt"), "1\n2\nunsaved\n");
    await use(session, edit("crlf.txt", "2", "two"));
    assertEquals(await disk("crlf.txt"), "\uFEFF1\r\ntwo\r\nunsaved\r\n");
    await use(session, edit("mixed.txt", "two", "2")); // which this editor saves with CRLF throughout
    assertEquals(await disk("mixed.txt"), "one\r\n2\nthree\n");
  });

  await t.step("may format what it saves", async () => {
    editor.onSave = (text) => text.replaceAll("a=b", "a = b;");
    await use(session, write("new.txt", "let a=b\n"));
    editor.onSave = (text) => text;
    assertEquals(await disk("new.txt"), "let a = b;\n");
    editor.taken();
  });

  await t.step("gets texts of any length", async () => {
    const long = "0123456789abcdef\n".repeat(20_000);
    await use(session, write("long.txt", long));
    assertEquals([wrote(), await disk("long.txt") === long], [[`fs/write ${at("long.txt")}`], true]);
  });

  await t.step("is not asked for what is outside of the workspace, nor by a link", async () => {
    await Deno.symlink(stage.outside, at("link"));
    await Deno.symlink("/etc", at("etc"));
    await Deno.symlink("a.txt", at("inside"));
    for (const path of ["/etc/passwd", "etc/passwd"]) {
      await use(session, read(path));
      assertMatch(stage.model.told, /root/);
    }
    for (const path of [`${stage.outside}/w.txt`, "link/w.txt", "etc/passwd"]) {
      assertEquals((await use(session, write(path, "x"))).status, "failed", path);
    }
    assertEquals([editor.taken(), namesIn(stage.outside)], [[], []]);
    await use(session, read("inside"));
    assertEquals(editor.taken(), [`fs/read ${at("a.txt")}`], "by the real path");
  });

  await t.step("is no way to a protected path, and is the way to others", async () => {
    for (const path of [".envrc", ".devcontainer.json", "sub/../.gdbinit", ".mcp.json"]) {
      assertEquals((await use(session, write(path, "x"))).status, "failed", path);
      assertEquals([wrote(), exists(at(path))], [[], false], path);
    }
    await Deno.mkdir(at("hooks"));
    for (const path of ["hooks/use.ts", "envrc"]) {
      assertEquals((await use(session, write(path, "x"))).status, "completed");
      assertEquals(wrote(), [`fs/write ${at(path)}`]);
    }
  });

  await t.step("is not asked for a file that is no text", async () => {
    await Deno.writeFile(at("binary"), Uint8Array.of(1, 0, 2, 255));
    await Deno.writeFile(at("latin"), Uint8Array.of(0xe4, 10));
    for (const path of ["binary", "latin"]) await use(session, read(path));
    assertEquals(editor.taken(), []);
  });

  await t.step("is not asked while a command runs, which could change what a path leads to", async () => {
    editor.buffers.set(at("a.txt"), "buffer\n");
    await Deno.writeTextFile(at("a.txt"), "disk\n");
    await use(session, ["bash", "exec sleep 86471", { background: true }]);
    await use(session, read("a.txt"));
    assertMatch(stage.model.told, /disk/);
    assertEquals(editor.taken(), []);
    await use(session, ["tool", "job_kill", { job_id: "job1" }]);
    await use(session, read("a.txt"));
    assertMatch(stage.model.told, /buffer/);
    assertEquals(editor.taken(), [`fs/read ${at("a.txt")}`]);
  });

  await t.step("need not have loaded again what a command changed", async () => {
    await use(session, write("late.txt", "old\n"));
    await use(session, ["bash", "echo new > late.txt"]);
    await use(session, read("late.txt"));
    assertMatch(stage.model.told, /new/);
    assertEquals(editor.buffers.get(at("late.txt")), "old\n");
    editor.buffers.set(at("late.txt"), "typed\n");
    await use(session, read("late.txt"));
    assertMatch(stage.model.told, /typed/);
  });
});

onStage("an edit that waits for leave", {
  client: zedCapabilities,
  env: { DSH_PRESET: "confirm" },
  files: { "a.txt": "one\ntwo\n" },
}, async (stage, t) => {
  const editor = new Editor();
  const session = await stage.session();
  const path = stage.path("a.txt");
  let preview: unknown;
  /** Answers a question as given, after something happened. */
  const answering = (kind: string, meanwhile: () => void | Promise<void> = () => {}) => {
    editor.taken();
    stage.agent.onRequest = async (request) => {
      if (request.method !== "session/request_permission") return await editor.answer(request);
      preview = (request.params?.toolCall as Fields).content;
      assertEquals(editor.taken().filter((line) => line.startsWith("fs/write")), []);
      await meanwhile();
      return pick(kind)(request);
    };
  };

  await t.step("shows what it does to the unsaved text, and is made there after the yes", async () => {
    editor.buffers.set(path, "one\nunsaved\n");
    answering("allow_once");
    assertEquals((await use(session, edit("a.txt", "one", "1"))).status, "completed");
    assertStringIncludes(JSON.stringify(preview), "unsaved");
    assertEquals(editor.buffers.get(path), "1\nunsaved\n");
  });

  await t.step("is not made when the answer is no", async () => {
    answering("reject_once");
    assertEquals((await use(session, edit("a.txt", "1", "ONE"))).status, "failed");
    assertEquals([editor.buffers.get(path), await Deno.readTextFile(path)], ["1\nunsaved\n", "1\nunsaved\n"]);
  });

  await t.step("fails when the user types meanwhile, and loses nothing", async () => {
    answering("allow_once", () => void editor.buffers.set(path, "1\nunsaved\ntyped\n"));
    assertEquals((await use(session, edit("a.txt", "1", "ONE"))).status, "failed");
    assertMatch(stage.model.told, /changed since it was read/);
    assertEquals(
      [editor.buffers.get(path), await Deno.readTextFile(path)],
      ["1\nunsaved\ntyped\n", "1\nunsaved\n"],
    );
  });

  await t.step("fails when the disk changes below unsaved text", async () => {
    answering("allow_once", () => Deno.writeTextFile(path, "by another\n"));
    assertEquals((await use(session, edit("a.txt", "1", "ONE"))).status, "failed");
    assertEquals(await Deno.readTextFile(path), "by another\n");
  });

  await t.step("is made when the user only saves meanwhile", async () => {
    answering("allow_once", () => Deno.writeTextFile(path, "1\nunsaved\ntyped\n"));
    assertEquals((await use(session, edit("a.txt", "1", "ONE"))).status, "completed");
    assertEquals(await Deno.readTextFile(path), "ONE\nunsaved\ntyped\n");
  });
});

onStage("in read-only an approved edit goes to the editor, a refused one nowhere", {
  client: zedCapabilities,
  env: { DSH_PRESET: "read-only" },
  files: { "a.txt": "one\n" },
}, async (stage) => {
  const editor = new Editor();
  const session = await stage.session();
  for (const [kind, status] of [["reject_once", "failed"], ["allow_once", "completed"]] as const) {
    stage.agent.onRequest = (request) =>
      request.method === "session/request_permission" ? pick(kind)(request) : editor.answer(request);
    assertEquals((await use(session, edit("a.txt", "one", "1"))).status, status);
    const writes = editor.taken().filter((line) => line.startsWith("fs/write"));
    assertEquals(writes.length, kind === "allow_once" ? 1 : 0);
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), kind === "allow_once" ? "1\n" : "one\n");
  }
});

onStage("a cancel ends the wait for an editor that does not answer", {
  client: zedCapabilities,
  files: { "a.txt": "one\n" },
}, async (stage) => {
  const { agent } = stage;
  const asked = Promise.withResolvers<unknown>();
  agent.onRequest = (request) => {
    asked.resolve(request.id);
    return new Promise(() => {});
  };
  const session = await stage.session();
  const turn = await session.begin(script(edit("a.txt", "one", "1"), ["text", "never"]));
  const id = await asked.promise;
  await session.cancel();
  assertEquals((await turn.end()).stopReason, "cancelled");
  await eventually(
    "the request is cancelled",
    () =>
      agent.frames.some(({ message }) =>
        message.method === "$/cancel_request" && message.params?.requestId === id
      ),
  );
  assertEquals(await Deno.readTextFile(stage.path("a.txt")), "one\n");
  agent.onRequest = new Editor().answer;
  assert((await use(session, edit("a.txt", "one", "1"))).status === "completed");
});
