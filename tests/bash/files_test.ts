import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { FileError } from "../../src/bash/executor_handle.ts";
import { namesIn } from "../support/files.ts";
import { makePlace, startRig } from "./rig.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const fault = (thrown: unknown) => thrown instanceof FileError ? thrown.fault : String(thrown);

Deno.test("Executor.readFile() and stat()", async (t) => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const at = (name: string) => `${place.workspace}/${name}`;
  const read = (name: string, max = 1000) => executor.readFile(at(name), max);
  await Deno.writeTextFile(at("a.txt"), "hello");

  await t.step("give bytes, size and version", async () => {
    const file = await read("a.txt");
    assertEquals([new TextDecoder().decode(file.bytes), file.size], ["hello", 5]);
    assertEquals(await executor.stat(at("a.txt")), { kind: "file", size: 5, version: file.version });
  });
  await t.step("cut at the bound and tell the whole size", async () => {
    const file = await read("a.txt", 2);
    assertEquals([new TextDecoder().decode(file.bytes), file.size], ["he", 5]);
  });
  await t.step("an empty file is a file", async () => {
    await Deno.writeTextFile(at("empty"), "");
    assertEquals((await read("empty")).bytes.length, 0);
  });
  await t.step("the version changes when the same number of bytes is written at once after", async () => {
    const before = await read("a.txt");
    await Deno.writeTextFile(at("a.txt"), "HELLO");
    assertNotEquals((await read("a.txt")).version, before.version);
  });
  await t.step("large files come whole", async () => {
    const large = new Uint8Array(5_000_000).map((_, i) => i);
    await Deno.writeFile(at("large"), large);
    assertEquals((await read("large", 10_000_000)).bytes, large);
    await Deno.remove(at("large"));
  });
  await t.step("a range of a file, up to its end and not behind it", async () => {
    const range = async (from: number, max: number) => {
      const { bytes, size } = await executor.readRange(at("a.txt"), from, max);
      return [new TextDecoder().decode(bytes), size];
    };
    await Deno.writeTextFile(at("a.txt"), "hello");
    assertEquals(await range(1, 3), ["ell", 5]);
    assertEquals(await range(3, 1000), ["lo", 5]);
    assertEquals([await range(5, 9), await range(5_000_000_000, 9)], [["", 5], ["", 5]]);
  });
  await t.step("the far end of a file of many gigabytes, at once", async () => {
    const file = await Deno.open(at("sparse"), { write: true, create: true });
    await file.truncate(20_000_000_000);
    await file.seek(19_999_999_997, Deno.SeekMode.Start);
    await file.write(bytes("end"));
    file.close();
    const { bytes: found, size } = await executor.readRange(at("sparse"), 19_999_999_997, 1000);
    assertEquals([new TextDecoder().decode(found), size], ["end", 20_000_000_000]);
    await Deno.remove(at("sparse"));
  });
  await t.step("what Deno itself keeps closed is denied in words that help", async () => {
    const error = await executor.readFile("/proc/self/status", 10).catch((e) => e);
    assertEquals([fault(error), error.message], [
      "denied",
      "/proc/self/status: closed to the file tools: a place of secrets, or one that only bash can look into",
    ]);
  });
  await t.step("tell that nobody may write a file", async () => {
    await Deno.writeTextFile(at("ro"), "x", { mode: 0o444 });
    assertEquals([(await read("ro")).readOnly, (await read("a.txt")).readOnly], [true, undefined]);
  });
  await t.step("kinds", async () => {
    await rig.run("mkfifo fifo; ln -s nowhere dangling; mkdir dir");
    const kinds = ["fifo", "dangling", "dir", "none", "a.txt/below"].map((n) => executor.stat(at(n)));
    const expected = ["other", "missing", "directory", "missing", "missing"];
    assertEquals((await Promise.all(kinds)).map((s) => s.kind), expected);
  });
  await t.step("faults, without ever blocking", async () => {
    const cases: [path: string, fault: string][] = [
      [at("none"), "not-found"],
      [at("dir"), "is-directory"],
      [at("fifo"), "not-regular"],
      ["/dev/zero", "not-regular"],
      ["/dev/tty", "not-regular"],
      ["relative", "failed"],
      [at("nul\0byte"), "failed"],
      [at("loop1"), "failed"],
      [at("closed"), "denied"],
      [at("closed-dir/x"), "denied"],
    ];
    await rig.run(
      "ln -s loop2 loop1; ln -s loop1 loop2; echo x > closed; mkdir closed-dir; touch closed-dir/x",
    );
    // The executor has no capabilities, so that this holds for root too.
    await rig.run("chmod 0 closed closed-dir");
    for (const [path, expected] of cases) {
      assertEquals(await executor.readFile(path, 10).catch(fault), expected, path);
    }
    assertEquals(await executor.readFile(at("a.txt"), 1 << 30).catch(fault), "too-large");
    await rig.run("chmod 700 closed closed-dir");
  });
  await t.step("a path that flips between file and FIFO does not block either", async () => {
    const flipping = rig.run("mkfifo f2; while [ ! -e stop ]; do ln -f a.txt x; mv -f f2 x; mkfifo f2; done");
    for (let i = 0; i < 30; i++) await executor.readFile(at("x"), 10).catch(() => {});
    await Deno.writeTextFile(at("stop"), "");
    // Whatever still hangs on a FIFO is freed.
    await rig.run("exec 9<>x; sleep 0.05");
    assertEquals((await flipping).exit, { code: 0 });
  });
});

Deno.test("Executor.list()", async (t) => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const at = (name: string) => `${place.workspace}/${name}`;
  const names = ["b", "A", "a b", "line\nbreak", "🙂", ".hidden", "dir"];

  await t.step("gives the names with their kinds, sorted, whatever characters they have", async () => {
    await rig.run(
      "mkdir d d/dir; cd d; touch b A 'a b' $'line\\nbreak' '🙂' .hidden; ln -s dir link; mkfifo fifo",
    );
    const { entries, more } = await executor.list(at("d"));
    assertEquals(entries.map((e) => e.name), [...names, "link", "fifo"].sort());
    const kinds = Object.fromEntries(entries.map((e) => [e.name, e.kind]));
    assertEquals([kinds.dir, kinds.link, kinds.fifo, kinds.b], ["directory", "link", "other", "file"]);
    assertEquals(more, 0);
    assertEquals((await executor.list(at("d/link"))).entries, []);
  });
  await t.step("lists no more than its bound, and counts the rest", async () => {
    await rig.run("mkdir many; cd many; seq -f %05g 1 1234 | xargs touch");
    const { entries, more } = await executor.list(at("many"));
    assertEquals([entries.length, entries[0]?.name, entries.at(-1)?.name, more], [
      1000,
      "00001",
      "01000",
      234,
    ]);
  });
  await t.step("faults", async () => {
    await rig.run("ln -s loop2 loop1; ln -s loop1 loop2; mkfifo fifo; mkdir closed; chmod 0 closed");
    await Deno.mkdir(`${place.home}/.ssh`, { recursive: true });
    await Deno.symlink(`${place.home}/.ssh`, at("to-keys"));
    const cases: [path: string, fault: string][] = [
      [at("none"), "not-found"],
      [at("d/b"), "not-directory"],
      [at("fifo"), "not-directory"],
      [at("loop1"), "failed"],
      [at("closed"), "denied"],
      [`${place.home}/.ssh`, "denied"],
      [at("to-keys"), "denied"],
    ];
    for (const [path, expected] of cases) {
      assertEquals(await executor.list(path).catch(fault), expected, path);
    }
    await rig.run("chmod 700 closed");
  });
});

Deno.test("Executor.writeFile()", async (t) => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const at = (name: string) => `${place.workspace}/${name}`;
  const text = (name: string) => Deno.readTextFile(at(name));

  await t.step("creates a file and the directories above it", async () => {
    const { version } = await executor.writeFile(at("new/deep/a.txt"), bytes("one"));
    assertEquals(await text("new/deep/a.txt"), "one");
    assertEquals((await executor.stat(at("new/deep/a.txt"))).version, version);
  });
  await t.step("with ifVersion missing only where nothing stands", async () => {
    await executor.writeFile(at("b.txt"), bytes("one"), "missing");
    assertEquals(await executor.writeFile(at("b.txt"), bytes("two"), "missing").catch(fault), "exists");
    assertEquals(await text("b.txt"), "one");
  });
  await t.step("with a version only while it holds", async () => {
    const { version } = await executor.stat(at("b.txt"));
    const next = await executor.writeFile(at("b.txt"), bytes("two"), version);
    assertEquals(await executor.writeFile(at("b.txt"), bytes("lost"), version).catch(fault), "changed");
    await executor.writeFile(at("b.txt"), bytes("three"), next.version);
    assertEquals(await text("b.txt"), "three");
  });
  await t.step("keeps the mode, and replaces the file rather than writing into it", async () => {
    await Deno.chmod(at("b.txt"), 0o751);
    await Deno.link(at("b.txt"), at("twin"));
    await executor.writeFile(at("b.txt"), bytes("four"));
    assertEquals((await Deno.stat(at("b.txt"))).mode! & 0o7777, 0o751);
    assertEquals([await text("b.txt"), await text("twin")], ["four", "three"]);
  });
  await t.step("keeps every bit of the mode, and the owner", async () => {
    await Deno.writeTextFile(at("modes"), "one");
    for (const mode of [0o444, 0o600, 0o4755, 0o2755, 0o1777]) {
      await Deno.chmod(at("modes"), mode);
      const before = await Deno.stat(at("modes"));
      await executor.writeFile(at("modes"), bytes(`mode ${mode}`));
      const after = await Deno.stat(at("modes"));
      assertEquals([after.mode! & 0o7777, after.uid, after.gid], [mode, before.uid, before.gid]);
      assertNotEquals(after.ino, before.ino);
    }
  });
  await t.step("takes names with spaces, line breaks and emoji", async () => {
    for (const name of [" a b ", "line\nbreak", "🙂.txt", "-rf", "$(id)", "'\""]) {
      await executor.writeFile(at(name), bytes(name));
      assertEquals(await text(name), name);
      assertEquals(new TextDecoder().decode((await executor.readFile(at(name), 99)).bytes), name);
    }
  });
  await t.step("of a file in a closed directory fails, and the file stays as it is", async () => {
    await rig.run("mkdir locked; echo old > locked/f; chmod 0555 locked");
    assertEquals(await executor.writeFile(at("locked/f"), bytes("new")).catch(fault), "denied");
    assertEquals([await text("locked/f"), namesIn(at("locked"))], ["old\n", ["f"]]);
    await rig.run("chmod 0755 locked");
  });
  await t.step("replaces at once: a reader sees the old or the new content, never a part", async () => {
    const [a, b] = ["a", "b"].map((c) => c.repeat(2_000_000)) as [string, string];
    await executor.writeFile(at("whole"), bytes(a));
    const watching = rig.run(
      "while [ ! -e stop-watching ]; do n=$(stat -c %s whole) || exit 3; [ $n = 2000000 ] || exit 4; done",
    );
    for (let i = 0; i < 20; i++) await executor.writeFile(at("whole"), bytes(i % 2 ? a : b));
    await Deno.writeTextFile(at("stop-watching"), "");
    assertEquals((await watching).exit, { code: 0 });
  });
  await t.step("follows a symlink to its target, one that dangles too", async () => {
    await Deno.symlink("b.txt", at("link"));
    await executor.writeFile(at("link"), bytes("five"));
    await Deno.symlink("not-yet", at("dangling"));
    await executor.writeFile(at("dangling"), bytes("six"));
    assertEquals([await text("b.txt"), await text("not-yet")], ["five", "six"]);
    assert((await Deno.lstat(at("link"))).isSymlink && (await Deno.lstat(at("dangling"))).isSymlink);
  });
  await t.step("faults", async () => {
    await rig.run("mkfifo fifo; ln -s loop2 loop1; ln -s loop1 loop2");
    const cases: [path: string, fault: string][] = [
      [place.workspace, "is-directory"],
      [at("new"), "is-directory"],
      [at("fifo"), "not-regular"],
      [at("loop1"), "failed"],
      [`${place.outside}/x`, "denied"],
      [at("b.txt/below"), "failed"],
    ];
    for (const [path, expected] of cases) {
      assertEquals(await executor.writeFile(path, bytes("x")).catch(fault), expected, path);
    }
  });
  await t.step("leaves no other file behind", () => {
    const names = namesIn(place.workspace).filter((name) => name.startsWith(".dsh-"));
    assertEquals(names, []);
  });
  await t.step("bytes, not text", async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    await executor.writeFile(at("bytes"), all);
    assertEquals(await Deno.readFile(at("bytes")), all);
  });
});

Deno.test("Executor.remove()", async (t) => {
  await using rig = await startRig();
  const { executor, place } = rig;
  const at = (name: string) => `${place.workspace}/${name}`;

  await t.step("removes a file, and leaves its directory", async () => {
    await executor.writeFile(at("dir/a.txt"), bytes("one"));
    await executor.remove(at("dir/a.txt"));
    assertEquals(namesIn(at("dir")), []);
  });
  await t.step("with a version only while it holds", async () => {
    const { version } = await executor.writeFile(at("b.txt"), bytes("one"));
    await Deno.writeTextFile(at("b.txt"), "two");
    assertEquals(await executor.remove(at("b.txt"), version).catch(fault), "changed");
    assertEquals(await Deno.readTextFile(at("b.txt")), "two");
    await executor.remove(at("b.txt"), (await executor.stat(at("b.txt"))).version);
    assertEquals((await executor.stat(at("b.txt"))).kind, "missing");
  });
  await t.step("of a link removes what it leads to", async () => {
    await Deno.writeTextFile(at("target"), "x");
    await Deno.symlink("target", at("link"));
    await executor.remove(at("link"));
    assertEquals(namesIn(place.workspace).filter((name) => name === "target" || name === "link"), ["link"]);
  });
  await t.step("faults, and what they are about stays", async () => {
    await rig.run("mkfifo fifo; ln -s loop2 loop1; ln -s loop1 loop2; mkdir -p locked; echo > locked/f");
    await rig.run("chmod 0555 locked");
    await Deno.writeTextFile(`${place.outside}/x`, "x");
    await Deno.symlink(`${place.outside}/x`, at("out"));
    const cases: [path: string, fault: string][] = [
      [place.workspace, "is-directory"],
      [at("dir"), "is-directory"],
      [at("fifo"), "not-regular"],
      [at("loop1"), "failed"],
      [at("none"), "not-found"],
      [at("none/below"), "not-found"],
      [`${place.outside}/x`, "denied"],
      [at("out"), "denied"],
      [at("locked/f"), "denied"],
      ["relative", "failed"],
    ];
    for (const [path, expected] of cases) {
      assertEquals(await executor.remove(path).catch(fault), expected, path);
    }
    assertEquals([namesIn(place.outside), namesIn(at("locked"))], [["x"], ["f"]]);
    await rig.run("chmod 0755 locked");
  });
});

for (const bubblewrap of [true, false]) {
  Deno.test(`Executor.remove() takes no protected file away, ${bubblewrap ? "mounted" : "looked after"}`, async () => {
    const place = await makePlace();
    const paths = [".git/hooks/pre-commit", ".vscode/tasks.json"].map((path) => `${place.workspace}/${path}`);
    for (const path of paths) {
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(path, "guarded");
    }
    await Deno.writeTextFile(`${place.workspace}/.git/HEAD`, "ref: refs/heads/main\n");
    await using rig = await startRig("workspace", {}, place, { bubblewrap });
    for (const path of paths) {
      // Where it is mounted by itself, the kernel calls it busy.
      const faults = bubblewrap ? ["denied", "failed"] : ["denied"];
      assert(faults.includes(await rig.executor.remove(path).then(() => "removed", fault)), path);
      assertEquals(await Deno.readTextFile(path), "guarded");
    }
  });
}
