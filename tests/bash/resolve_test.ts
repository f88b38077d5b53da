import { assertEquals, assertThrows } from "@std/assert";
import { FileError } from "../../src/bash/executor_handle.ts";
import { parseFromExecutor, WireError } from "../../src/bash/wire.ts";
import { exists } from "../support/files.ts";
import { makePlace, startRig } from "./rig.ts";

const fault = (thrown: unknown) => thrown instanceof FileError ? thrown.fault : String(thrown);

Deno.test("Executor.resolve()", async (t) => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const at = (name: string) => `${place.workspace}/${name}`;
  await Deno.mkdir(`${place.home}/.ssh`);
  await rig.run(`mkdir -p dir .git/hooks; echo x > dir/a; ln -s dir link; ln -s a dir/b; ln -s .. dir/up
    ln -s ${place.outside} out; ln -s ../gone/x away; ln -s nowhere dangling; ln -s loop2 loop1; ln -s loop1 loop2`);
  const free = { readable: true, writable: true };

  await t.step("follows symlinks, also to where nothing stands yet", async () => {
    const cases: [path: string, real: string][] = [
      ["dir/a", "dir/a"],
      ["link/b", "dir/a"],
      ["link/new/deep", "dir/new/deep"],
      ["dangling", "nowhere"],
      ["dir/up/dir/a", "dir/a"],
    ];
    for (const [path, real] of cases) {
      assertEquals(await executor.resolve(at(path)), { path: at(real), ...free }, path);
    }
    assertEquals(await executor.resolve(at("dir/up")), { path: place.workspace, ...free });
    assertEquals(await executor.resolve(at("loop1")).catch(fault), "failed");
  });

  await t.step("tells what the policy allows there", async () => {
    const cases: [path: string, readable: boolean, writable: boolean][] = [
      [at("out/x"), true, false],
      [at("away/x"), true, false],
      [`${place.outside}/x`, true, false],
      [`${place.home}/.ssh`, false, false],
      [at(".git/hooks/pre-commit"), true, false],
      [at(".vscode/tasks.json"), true, false],
      [at("dir/.git/config"), true, false],
      [at("dir/hooks/use.ts"), true, true],
    ];
    for (const [path, readable, writable] of cases) {
      const resolved = await executor.resolve(path);
      assertEquals([resolved.readable, resolved.writable], [readable, writable], path);
    }
    assertEquals(await executor.resolve(`${place.home}/.ssh/id_rsa`).catch(fault), "denied");
  });
});

Deno.test("Executor.resolve() finds no place writable that a repository's config makes git run", async () => {
  const place = await makePlace();
  await Deno.mkdir(`${place.workspace}/.git/objects`, { recursive: true });
  await Deno.mkdir(`${place.workspace}/githooks`);
  await Deno.writeTextFile(`${place.workspace}/.git/HEAD`, "ref: refs/heads/main\n");
  await Deno.writeTextFile(`${place.workspace}/.git/config`, "[core]\n\thooksPath = githooks\n");
  await using rig = await startRig("workspace", {}, place);
  const writable = async (name: string) =>
    (await rig.executor.resolve(`${place.workspace}/${name}`)).writable;
  assertEquals([await writable("githooks/pre-commit"), await writable("hooks/pre-commit")], [false, true]);
});

Deno.test("Executor.resolve() in read-only finds nothing writable but temporary files", async () => {
  await using rig = await startRig("read-only");
  const { executor, place } = rig;
  assertEquals((await executor.resolve(`${place.workspace}/a`)).writable, false);
  assertEquals((await executor.resolve(`${place.tempDir}/a`)).writable, true);
});

Deno.test("an executor's answer with a path that is not clean is no message", () => {
  const say = (path: unknown) => parseFromExecutor(JSON.stringify({ ev: "resolved", id: 1, path }));
  for (const path of ["a", "", "/a/../b", "/a/./b", "/a//b", "/a/", "/..", "/a\0", 5, undefined]) {
    assertThrows(() => say(path), WireError, "malformed", String(path));
  }
  for (const path of ["/", "/a", "/a/..b/.c/d."]) assertEquals(say(path).ev, "resolved");
});

Deno.test("Executor.watched() takes back what was planted meanwhile, by whomever", async () => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const plant = (name: string) => () => Deno.writeTextFile(`${place.workspace}/${name}`, "x");
  assertEquals(await executor.watched!(plant(".envrc")).catch(fault), "denied");
  assertEquals(exists(`${place.workspace}/.envrc`), false);
  assertEquals(await executor.watched!(plant("envrc")), undefined);
  assertEquals(exists(`${place.workspace}/envrc`), true);
});
