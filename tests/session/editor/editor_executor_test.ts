import { assertEquals, assertRejects } from "@std/assert";
import { FileError } from "../../../src/bash/executor_handle.ts";
import { silentLog } from "../../../src/log.ts";
import { throughEditor } from "../../../src/session/editor/editor_executor.ts";
import { EditorFault, EditorTrust } from "../../../src/session/editor/editor_trust.ts";
import type { EditorFiles } from "../../../src/session/ports.ts";
import { FakeExecutor } from "../../support/fake_executor.ts";
import { eventually, pause } from "../../support/waiting.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: { bytes: Uint8Array }) => new TextDecoder().decode(of.bytes);

/** A workspace with a file `a` on the disk, and an editor with a buffer of it. */
async function setUp(files: Partial<EditorFiles> = {}) {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "dsh-editor-" }));
  const inner = new FakeExecutor();
  const path = `${root}/a`;
  inner.files.set(path, "disk\n");
  const buffers = new Map([[path, "disk\nunsaved\n"]]);
  const asked: string[] = [];
  const signal = new AbortController().signal;
  const trust = new EditorTrust();
  const read = (at: string) => {
    asked.push(`read ${at}`);
    const found = buffers.get(at);
    return found === undefined
      ? Promise.reject(new EditorFault("no such file", false))
      : Promise.resolve(found);
  };
  const write = (at: string, content: string) => {
    asked.push(`write ${at}`);
    buffers.set(at, content); // it does not save
    return Promise.resolve();
  };
  const access = { files: { read, write, ...files }, trust, roots: [root], log: silentLog };
  const executor = throughEditor(inner, access, signal);
  const run = (command: string) => executor.run({ command, cwd: root, timeoutMs: 1000 }, () => {}, signal);
  return {
    ...{ root, inner, path, buffers, asked, executor, run },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("an executor through the editor gives the buffer, with one version by readFile() and stat()", async () => {
  await using at = await setUp();
  const { executor, path, buffers, inner } = at;
  const file = await executor.readFile(path, 1000);
  assertEquals([text(file), file.size], ["disk\nunsaved\n", 13]);
  assertEquals(await executor.stat(path), { kind: "file", size: 13, version: file.version });
  assertEquals(text(await executor.readFile(path, 4)), "disk");
  buffers.set(path, "disk\nmore\n");
  assertEquals((await executor.stat(path)).version === file.version, false);
  await assertRejects(() => executor.writeFile(path, bytes("new\n"), file.version), FileError, "changed");
  assertEquals([buffers.get(path), inner.files.get(path)], ["disk\nmore\n", "disk\n"]);
});

Deno.test("an editor that keeps what it is given unsaved has written it", async () => {
  await using at = await setUp();
  const { executor, path, buffers, inner } = at;
  const { version } = await executor.readFile(path, 1000);
  const written = await executor.writeFile(path, bytes("new\n"), version);
  assertEquals([buffers.get(path), inner.files.get(path)], ["new\n", "disk\n"]);
  assertEquals((await executor.readFile(path, 1000)).version, written.version);
});

Deno.test("unsaved text that was not read is not written over", async () => {
  await using at = await setUp();
  const { executor, path, inner, buffers } = at;
  const { version } = await inner.readFile(path);
  await assertRejects(() => executor.writeFile(path, bytes("new\n"), version), FileError, "read it again");
  buffers.set(path, "disk\n");
  await executor.writeFile(path, bytes("new\n"), version);
  assertEquals(buffers.get(path), "new\n");
});

Deno.test("an editor whose buffer cannot be read just now is not written through", async () => {
  await using at = await setUp({ read: () => Promise.reject(new EditorFault("busy", false)) });
  const { executor, path, inner, buffers, asked } = at;
  const { version } = await executor.readFile(path, 1000);
  await executor.writeFile(path, bytes("new\n"), version);
  assertEquals([buffers.get(path), inner.files.get(path)], ["disk\nunsaved\n", "new\n"]);
  assertEquals(asked, []);
});

Deno.test("the editor is asked for a path only where this process sees it as the executor does", async () => {
  await using at = await setUp();
  const { executor, root, inner, buffers, asked } = at;
  await Deno.symlink("/etc", `${root}/link`);
  for (const path of [`${root}/link/passwd`, `${root}2/a`]) {
    inner.files.set(path, "disk\n");
    buffers.set(path, "buffer\n");
    assertEquals(text(await executor.readFile(path, 1000)), "disk\n");
  }
  assertEquals(asked, []);
});

Deno.test("the editor is asked for nothing that the policy forbids", async () => {
  await using at = await setUp();
  const { executor, path, inner, asked, buffers } = at;
  inner.resolve = (to) => Promise.resolve({ path: to, readable: true, writable: false });
  const { version } = await executor.readFile(path, 1000);
  await executor.writeFile(path, bytes("by the executor\n"), version);
  assertEquals(asked.filter((line) => line.startsWith("write")), []);
  assertEquals([inner.files.get(path), buffers.get(path)], ["by the executor\n", "disk\nunsaved\n"]);
  inner.resolve = (to) => Promise.resolve({ path: to, readable: false, writable: false });
  asked.length = 0;
  await executor.readFile(path, 1000);
  assertEquals(asked, []);
});

Deno.test("a command begins when the editor has answered, and while it runs the editor is not asked", async () => {
  const answer = Promise.withResolvers<string>();
  await using at = await setUp({ read: () => answer.promise });
  const { executor, path, inner, run } = at;
  const done = Promise.withResolvers<Record<never, never>>();
  inner.behave = () => done.promise;
  const reading = executor.readFile(path, 1000);
  const running = run("swap");
  await pause(50);
  assertEquals(inner.commands, []);
  answer.resolve("buffer\n");
  assertEquals(text(await reading), "buffer\n");
  await eventually("the command runs", () => inner.commands.length === 1);
  assertEquals(text(await executor.readFile(path, 1000)), "disk\n");
  done.resolve({});
  await running;
  assertEquals(text(await executor.readFile(path, 1000)), "buffer\n");
});

Deno.test("a file is removed on the disk, and not below a buffer that holds more", async () => {
  await using at = await setUp();
  const { executor, path, inner, buffers } = at;
  const { version } = await inner.readFile(path);
  await assertRejects(() => executor.remove(path, version), FileError, "changed since it was read");
  const seen = await executor.readFile(path, 1000);
  buffers.set(path, "disk\nmore\n");
  await assertRejects(() => executor.remove(path, seen.version), FileError, "changed since it was read");
  assertEquals(inner.files.get(path), "disk\n");
  await executor.remove(path, (await executor.readFile(path, 1000)).version);
  assertEquals(inner.files.has(path), false);
  await assertRejects(() => executor.remove(path), FileError, "no such file");
});
