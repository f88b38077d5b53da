import { assert, assertEquals } from "@std/assert";
import { environmentIn, makePlace, type Place, runIn, startIn } from "./rig.ts";

const GIT = "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x;";

async function byUser(place: Place, command: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-ec", GIT + command],
    cwd: place.workspace,
    env: environmentIn(place.home),
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

const SITES: Record<string, { make: string; at: string; gitDir: string }> = {
  "a linked worktree": {
    make:
      "git init -q ../main; git -C ../main commit -q --allow-empty -m one; git -C ../main worktree add -q ../wt -b wt",
    at: "wt",
    gitDir: "main/.git",
  },
  "a submodule": {
    make: `git init -q ../lib; git -C ../lib commit -q --allow-empty -m lib; git init -q ../super
      git -C ../super -c protocol.file.allow=always submodule --quiet add ../lib sub`,
    at: "super/sub",
    gitDir: "super/.git/modules/sub",
  },
};

for (const [mode, bubblewrap] of [["in bubblewrap", true], ["by Landlock alone", false]] as const) {
  for (const [name, { make, at, gitDir }] of Object.entries(SITES)) {
    Deno.test(`${name} whose repository lies outside can be committed in, not turned against it, ${mode}`, async () => {
      await using place = await makePlace();
      await byUser(place, make);
      const cwd = `${place.home}/${at}`;
      const executor = await startIn(place, "workspace", { cwd }, { bubblewrap });
      const ran = await runIn(
        executor,
        cwd,
        `${GIT} echo a > a && git add a && git commit -qm two && git switch -qc topic && git log --oneline | wc -l`,
      );
      assertEquals([ran.output, ran.exit], ["2\n", { code: 0 }]);
      const real = `${place.home}/${gitDir}`;
      await runIn(executor, cwd, `echo x > ${real}/hooks/pre-commit; echo '[alias]x=!y' >> ${real}/config`);
      await executor.close();
      assert(!(await Deno.readTextFile(`${real}/config`)).includes("!y"));
      assert(!await Deno.stat(`${real}/hooks/pre-commit`).then(() => true, () => false));
    });
  }
}

Deno.test("a pointer that a command made opens nothing outside", async () => {
  await using place = await makePlace();
  await byUser(place, "git init -q ../victim; git -C ../victim commit -q --allow-empty -m one");
  await Deno.writeTextFile(`${place.workspace}/.git`, `gitdir: ${place.home}/victim/.git\n`);
  const executor = await startIn(place, "workspace");
  const ran = await runIn(executor, place.workspace, `echo x > ${place.home}/victim/.git/made`);
  await executor.close();
  assertEquals(ran.exit, { code: 1 });
});
