import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path/join";
import type { Grant } from "../../src/permission/grant.ts";
import { GrantStore, listGrants } from "../../src/permission/grant_store.ts";

function exact(...words: string[]): Grant {
  return {
    version: 1,
    kind: "commands",
    reach: "confined",
    parts: [{ kind: "exact", assignments: [], words }],
  };
}

interface Place {
  readonly state: string;
  readonly workspace: string;
  readonly store: GrantStore;
  /** The one grants file. */
  file(): Promise<string>;
}

function test(name: string, run: (place: Place) => Promise<void>): void {
  Deno.test(name, async () => {
    const dir = await Deno.realPath(await Deno.makeTempDir());
    try {
      const [state, workspace] = [join(dir, "state"), join(dir, "w")];
      await Deno.mkdir(workspace);
      const file = async () => {
        for await (const entry of Deno.readDir(join(state, "grants"))) {
          if (entry.name.endsWith(".json")) return join(state, "grants", entry.name);
        }
        throw new Error("no grants file");
      };
      await run({ state, workspace, store: await GrantStore.of(state, workspace), file });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

test("GrantStore remembers grants of a workspace, and takes them back", async ({ state, workspace, store }) => {
  assertEquals(await store.load(), { workspace, grants: [] });
  const stored = await store.add(exact("a"));
  await store.add(exact("b"));
  assertEquals((await store.add(exact("a"))).id, stored.id);
  const again = await GrantStore.of(state, workspace);
  assertEquals((await again.load()).grants.map((g) => g.grant), [exact("a"), exact("b")]);
  assertEquals(await again.withdraw(stored.id), true);
  assertEquals(await again.withdraw(stored.id), false);
  assertEquals((await store.load()).grants.map((g) => g.grant), [exact("b")]);
  assertEquals((await listGrants(state)).map((g) => [g.workspace, g.grants.length]), [[workspace, 1]]);
});

test("GrantStore knows a workspace by its real path, and apart from others", async ({ state, workspace, store }) => {
  await store.add(exact("a"));
  await Deno.symlink(workspace, `${workspace}-link`);
  const byLink = await GrantStore.of(state, `${workspace}-link`);
  assertEquals((await byLink.load()).grants.length, 1);
  const other = await GrantStore.of(state, state);
  assertEquals((await other.load()).grants, []);
});

test("GrantStore's files are the user's alone", async ({ state, store, file }) => {
  await store.add(exact("a"));
  assertEquals((await Deno.stat(await file())).mode! & 0o777, 0o600);
  assertEquals((await Deno.stat(join(state, "grants"))).mode! & 0o777, 0o700);
});

const DAMAGE: Record<string, (text: string) => string> = {
  "torn": (text) => text.slice(0, -20),
  "empty": () => "",
  "no object": () => "[]",
  "of a newer version": (text) => text.replace('"version": 1', '"version": 2'),
  "with a part of an unknown kind": (text) => text.replace('"exact"', '"prefix"'),
  "with a field too many": (text) => text.replace('"reach"', '"wide": true, "reach"'),
  "with a grant that is never kept": (text) => text.replace('"kind": "commands"', '"kind": "edits"'),
  "of another workspace": (text) => text.replace('/w"', '/other"'),
};

for (const [name, damage] of Object.entries(DAMAGE)) {
  test(`a grants file ${name} grants nothing, is told and kept aside`, async ({ state, store, file }) => {
    await store.add(exact("a"));
    const path = await file();
    const damaged = damage(await Deno.readTextFile(path));
    await Deno.writeTextFile(path, damaged);
    const loaded = await store.load();
    assertEquals(loaded.grants, []);
    assertStringIncludes(loaded.warning ?? "", path);
    assertEquals(await Deno.readTextFile(path), damaged);
    await store.add(exact("b"));
    assertEquals((await store.load()).grants.map((g) => g.grant), [exact("b")]);
    const names = await Array.fromAsync(Deno.readDir(join(state, "grants")), (e) => e.name);
    const kept = names.find((n) => n.includes(".kept-"));
    assertEquals(await Deno.readTextFile(join(state, "grants", kept!)), damaged);
  });
}

test("a grants file that others can write, or a link, grants nothing", async ({ store, file, state }) => {
  await store.add(exact("a"));
  const path = await file();
  await Deno.chmod(path, 0o666);
  assertStringIncludes((await store.load()).warning ?? "", "others can write it");
  await Deno.chmod(path, 0o600);
  await Deno.rename(path, join(state, "elsewhere"));
  await Deno.symlink(join(state, "elsewhere"), path);
  assertStringIncludes((await store.load()).warning ?? "", "no plain file");
});

test("processes that add at the same time lose nothing", async ({ state, workspace, store }) => {
  const module = new URL("../../src/permission/grant_store.ts", import.meta.url).href;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const script = join(state, "..", "add.ts");
  await Deno.writeTextFile(
    script,
    `import { GrantStore } from ${JSON.stringify(module)};
const [state, workspace, name] = Deno.args;
const store = await GrantStore.of(state, workspace);
for (let i = 0; i < 15; i++) {
  await store.add({ version: 1, kind: "commands", reach: "confined",
    parts: [{ kind: "exact", assignments: [], words: [name, String(i)] }] });
}`,
  );
  const outputs = await Promise.all(["x", "y"].map((name) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", "--config", config, script, state, workspace, name],
    }).output()
  ));
  for (const o of outputs) assert(o.success, new TextDecoder().decode(o.stderr));
  assertEquals((await store.load()).grants.length, 30);
});

test("a grant for a host is kept as it is, and counts for nothing with more in it", async ({ store, file }) => {
  const grant: Grant = { version: 1, kind: "fetch", host: "docs.test" };
  await store.add(grant);
  assertEquals((await store.load()).grants.map((g) => g.grant), [grant]);
  const text = await Deno.readTextFile(await file());
  await Deno.writeTextFile(await file(), text.replace('"docs.test"', '"docs.test", "below": true'));
  const { grants, warning } = await store.load();
  assertEquals([grants.length, warning?.includes("damaged")], [0, true]);
});
