import { assertEquals } from "@std/assert";
import { terminalCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { Editor } from "../support/editor.ts";
import { edit, use, write } from "../support/file_steps.ts";
import { namesIn } from "../support/files.ts";
import { onStage } from "../support/on_stage.ts";
import type { Fields } from "../support/wire.ts";
import { opened } from "./checks/check.ts";

onStage("a client is asked for the methods that it declared, and for no other", {
  files: { "a.txt": "one\n" },
}, async (stage) => {
  const cases: [Fields, string[]][] = [
    [terminalCapabilities, []],
    [{ fs: { readTextFile: false, writeTextFile: false } }, []],
    [{ fs: { readTextFile: true } }, ["fs/read"]],
    [{ fs: { writeTextFile: true } }, ["fs/write"]],
    [zedCapabilities, ["fs/read", "fs/write"]],
  ];
  for (const [client, expected] of cases) {
    await stage.stop();
    await stage.start({ client });
    const editor = new Editor();
    stage.agent.onRequest = editor.answer;
    await stage.write("a.txt", "one\n");
    assertEquals((await use(await stage.session(), edit("a.txt", "one", "1"))).status, "completed");
    assertEquals([...new Set(editor.taken().map((line) => line.split(" ")[0]))].sort(), expected);
    assertEquals(await Deno.readTextFile(stage.path("a.txt")), "1\n");
  }
});

onStage("sessions side by side reach the editor each by its own id and name of the workspace", {
  client: zedCapabilities,
}, async (stage) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const linked = `${stage.root}/linked`;
  await Deno.symlink(stage.workspace, linked);
  const sessions = [await stage.session(), await stage.session(), await stage.session(linked)];
  await Promise.all(sessions.map(async (session, i) => {
    await use(session, write(`${i}.txt`, `by ${i}\n`));
    await use(session, edit(`${i}.txt`, "by", "from"));
  }));
  const writes = editor.asked.filter(({ method }) => method === "fs/write_text_file");
  for (const [i, session] of sessions.entries()) {
    const path = `${session.cwd}/${i}.txt`;
    const own = writes.filter((request) => request.sessionId === session.id).map((request) => request.path);
    assertEquals(own, [path, path]);
    assertEquals(await Deno.readTextFile(path), `from ${i}\n`);
  }
});

onStage("a repository's hooks and an editor's settings that are there are not written through the editor", {
  client: zedCapabilities,
  files: {
    ".git/hooks/post-merge": "old\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".vscode/tasks.json": "{}\n",
  },
}, async (stage) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const session = await stage.session();
  for (const path of [".git/hooks/post-merge", ".git/hooks/pre-commit", ".vscode/tasks.json"]) {
    assertEquals((await use(session, write(path, "planted\n"))).status, "failed", path);
  }
  assertEquals(editor.taken().filter((line) => line.startsWith("fs/write")), []);
  assertEquals(await Deno.readTextFile(stage.path(".vscode/tasks.json")), "{}\n");
  assertEquals(namesIn(stage.path(".git/hooks")), ["post-merge"]);
});

onStage("a further directory of the workspace is the editor's too, and another one is not", {
  client: zedCapabilities,
}, async (stage) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const path = `${stage.outside}/a.txt`;
  assertEquals((await use(await stage.session(), write(path, "x"))).status, "failed");
  assertEquals(editor.taken(), []);
  const [session] = await opened(stage, { additionalDirectories: [stage.outside] });
  assertEquals((await use(session, write(path, "x"))).status, "completed");
  assertEquals(editor.taken()[0], `fs/write ${path}`);
});
