import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readPlainFile } from "../../../src/session/guidance/plain_file.ts";
import { onGround, told } from "./guidance_rig.ts";

Deno.test("instructions: the user's, then from the repository's root down to the session's directory", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "\nroot\n");
    await ground.write("home/repo/a/AGENTS.md", "a");
    await ground.write("home/repo/a/b/CLAUDE.md", "b");
    await ground.write("home/repo/other/AGENTS.md", "other");
    await ground.write("home/AGENTS.md", "above the repository");
    await ground.write("home/.config/dsh-acp/AGENTS.md", "user");
    assertEquals(told(ground, await ground.read(join(ground.repo, "a", "b"))), [
      ["home/.config/dsh-acp/AGENTS.md", "user"],
      ["home/repo/AGENTS.md", "root"],
      ["home/repo/a/AGENTS.md", "a"],
      ["home/repo/a/b/CLAUDE.md", "b"],
    ]);
    assertEquals((await ground.read()).instructions.map((i) => i.from), ["user", "workspace"]);
  }));

Deno.test("instructions: without a repository only those of the directory itself", () =>
  onGround(async (ground) => {
    await Deno.remove(join(ground.repo, ".git"));
    await ground.write("home/repo/AGENTS.md", "above");
    await ground.write("home/repo/a/AGENTS.md", "a");
    const read = () => ground.read(join(ground.repo, "a"));
    assertEquals(told(ground, await read()), [["home/repo/a/AGENTS.md", "a"]]);
    await ground.write("home/repo/.git", "gitdir: elsewhere"); // a worktree's
    assertEquals((await read()).instructions.length, 2);
  }));

Deno.test("instructions: a repository of another user's does not speak into a workspace below it", {
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
}, () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "above");
    await ground.write("home/repo/a/x", "");
    const read = () => ground.read(join(ground.repo, "a"));
    assertEquals((await read()).instructions.length, 1);
    await Deno.chown(join(ground.repo, ".git"), 12345, null);
    assertEquals((await read()).instructions, []);
  }));

Deno.test("instructions: AGENTS.md goes before CLAUDE.md, and an empty one counts as none", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "agents");
    await ground.write("home/repo/CLAUDE.md", "claude");
    assertEquals(told(ground, await ground.read()), [["home/repo/AGENTS.md", "agents"]]);
    await ground.write("home/repo/AGENTS.md", " \n");
    assertEquals(told(ground, await ground.read()), [["home/repo/CLAUDE.md", "claude"]]);
  }));

Deno.test("instructions: a further root gives its own, before those of the repository", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "repo");
    await ground.write("more/AGENTS.md", "more");
    const { repo, root } = ground;
    assertEquals(told(ground, await ground.read(repo, [join(root, "more"), repo, join(root, "gone")])), [
      ["more/AGENTS.md", "more"],
      ["home/repo/AGENTS.md", "repo"],
    ]);
  }));

Deno.test("instructions: a link inside the repository is followed, and told once", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "one");
    await ground.write("home/repo/a/x", "");
    await Deno.symlink("../AGENTS.md", join(ground.repo, "a", "AGENTS.md"));
    const { instructions } = await ground.read(join(ground.repo, "a"));
    assertEquals(instructions.map(({ path, text }) => [path, text]), [
      [join(ground.repo, "a", "AGENTS.md"), "one"],
    ]);
  }));

Deno.test("instructions: what is no plain file of the repository is passed over", async (t) => {
  const cases: Record<string, (path: string, root: string) => Promise<unknown>> = {
    "a link out of it": (path, root) => Deno.symlink(join(root, "outside"), path),
    "a link to a device": (path) => Deno.symlink("/dev/zero", path),
    "a FIFO": (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
    "a directory": (path) => Deno.mkdir(path),
    "a broken link": (path) => Deno.symlink("nothing", path),
    "a loop of links": (path) => Deno.symlink("AGENTS.md", path),
  };
  for (const [name, plant] of Object.entries(cases)) {
    await t.step(name, () =>
      onGround(async (ground) => {
        const path = join(ground.repo, "AGENTS.md");
        await ground.write("outside", "a secret");
        await plant(path, ground.root);
        assertEquals((await ground.read()).instructions, []);
        await Deno.remove(path);
        await ground.write("home/repo/AGENTS.md", "plain");
        assertEquals((await ground.read()).instructions.length, 1);
      }));
  }
});

Deno.test("instructions: where home is the repository, its places of secrets stay closed", () =>
  onGround(async (ground) => {
    await Deno.mkdir(join(ground.home, ".git"));
    await Deno.remove(join(ground.repo, ".git"));
    await ground.write("home/.ssh/id", "a key");
    await ground.write("home/notes", "no key");
    await Deno.symlink("../.ssh/id", join(ground.repo, "AGENTS.md"));
    assertEquals((await ground.read()).instructions, []);
    await Deno.remove(join(ground.repo, "AGENTS.md"));
    await Deno.symlink("../notes", join(ground.repo, "AGENTS.md"));
    assertEquals(told(ground, await ground.read()), [["home/repo/AGENTS.md", "no key"]]);
  }));

Deno.test("instructions: the user's may be a link to anywhere, but to no place of secrets", () =>
  onGround(async (ground) => {
    const path = join(ground.configDir, "AGENTS.md");
    await Deno.symlink(await ground.write("dotfiles/mine.md", "mine"), path);
    assertEquals((await ground.read()).instructions.map((i) => i.text), ["mine"]);
    for (const secret of ["home/.config/dsh-acp/c.jsonc", "home/.aws/credentials"]) {
      await Deno.remove(path);
      await Deno.symlink(await ground.write(secret, "a key"), path);
      assertEquals((await ground.read()).instructions, []);
    }
  }));

Deno.test("instructions: a file without permission is passed over", {
  ignore: Deno.build.os === "windows" || Deno.uid() === 0, // root may read all
}, () =>
  onGround(async (ground) => {
    await Deno.chmod(await ground.write("home/repo/AGENTS.md", "x"), 0o000);
    assertEquals((await ground.read()).instructions, []);
  }));

Deno.test("instructions: one file is cut at 32 KiB, all of them at 64, the nearest last; no character in two", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", "r".repeat(40_000));
    await ground.write("home/repo/a/AGENTS.md", "a".repeat(30_000));
    await ground.write("home/repo/a/b/AGENTS.md", "x" + "é".repeat(20_000));
    const { instructions } = await ground.read(join(ground.repo, "a", "b"));
    const total = 64 * 1024;
    const nearest = 32 * 1024 - 1; // an odd byte would be half a character
    assertEquals(instructions.map(({ text, cut }) => [new TextEncoder().encode(text).length, cut]), [
      [total - nearest - 30_000, 40_000 - (total - nearest - 30_000)],
      [30_000, 0],
      [nearest, 40_001 - 32 * 1024],
    ]);
  }));

Deno.test("instructions: invalid UTF-8 is read as well as it goes", () =>
  onGround(async (ground) => {
    await ground.write("home/repo/AGENTS.md", new Uint8Array([0x61, 0xff, 0x62]));
    assertEquals((await ground.read()).instructions[0]?.text, "a\uFFFDb");
  }));

Deno.test("readPlainFile() shows nothing where a FIFO or a link was put in the way after the path was resolved", () =>
  onGround(async (ground) => {
    const path = await ground.write("home/repo/a/AGENTS.md", "plain");
    await ground.write("home/secrets/AGENTS.md", "a secret");
    const read = (meanwhile: () => void) =>
      readPlainFile(path, () => {
        meanwhile();
        return true;
      }, 100);
    assertEquals((await read(() => {}))?.text, "plain");
    const fifo = join(ground.repo, "fifo");
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    assertEquals(await read(() => Deno.renameSync(fifo, path)), undefined);
    await ground.write("home/repo/b/AGENTS.md", "plain");
    await Deno.remove(join(ground.repo, "a"), { recursive: true });
    await Deno.rename(join(ground.repo, "b"), join(ground.repo, "a"));
    const swapped = await read(() => {
      Deno.renameSync(join(ground.repo, "a"), join(ground.repo, "c"));
      Deno.symlinkSync(join(ground.home, "secrets"), join(ground.repo, "a"));
    });
    assertEquals(swapped, undefined);
  }));
