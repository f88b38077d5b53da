import { assert, assertEquals } from "@std/assert";
import type { Executor } from "../../../src/bash/executor_handle.ts";
import { makePlace, type Place, runIn, startIn } from "../../bash/rig.ts";
import { type Door, DOORS } from "./doors.ts";

const USER_CONFIG = `[user]
	name = n
	email = e@x
[protocol "file"]
	allow = always
[init]
	defaultBranch = main
[alias]
	st = status
`;

/** The user's own git, outside of all confinement. */
async function byUser(place: Place, cwd: string, command: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", command],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, GIT_EDITOR: "true", GIT_PAGER: "cat" },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

/** A workspace as a user has it: a repository with a nested one, a submodule and a linked worktree. */
async function furnish(place: Place): Promise<void> {
  await Deno.writeTextFile(`${place.home}/.gitconfig`, USER_CONFIG);
  // Where confined commands can run it, and unconfined ones too.
  await Deno.writeTextFile(
    `${place.workspace}/evil.sh`,
    `#!/bin/sh\ntouch ${place.outside}/ran\ncat 2>/dev/null\n`,
  );
  await Deno.chmod(`${place.workspace}/evil.sh`, 0o755);
  const made = await byUser(
    place,
    place.workspace,
    `git init -q ../lib && git -C ../lib commit -q --allow-empty -m lib && git init -q . && echo a > a &&
     echo evil.sh > .git/info/exclude && git add a && git submodule add -q ../lib module && git commit -qm one &&
     git init -q nested && git -C nested commit -q --allow-empty -m n && git worktree add -q linked -b linked`,
  );
  assertEquals(made, "");
}

const USER_GIT = "git status; git st; git c; git diff; git diff HEAD; git stash list; git add -A; " +
  "git commit -qam user; git checkout -q -b other; git checkout -q -";

async function plantAndVisit(place: Place, door: Door, executor: Executor): Promise<string[] | undefined> {
  const ran = await runIn(
    executor,
    place.workspace,
    `EVIL=${place.workspace}/evil.sh; { ${door.plant}\n} 2>&1`,
  );
  for (const visit of new Set([place.workspace, `${place.workspace}/${door.visit ?? "."}`])) {
    await byUser(place, visit, USER_GIT).catch(() => ""); // the directory may not have come to be
  }
  return ran.restored === undefined ? undefined : [...ran.restored];
}

const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** Brings workspace and mark back to what `furnish` made. */
async function reset(place: Place): Promise<void> {
  const { root, workspace, outside } = place;
  await byUser(
    place,
    root,
    `[ -d kept ] || cp -a ${workspace} kept; rm -rf ${outside}/ran ${workspace}
    cp -a kept ${workspace}; git -C ${workspace} update-index -q --refresh`,
  );
}

/** Defines the test of all doors in one mode. */
export function defineDoors(mode: string, bubblewrap: boolean): void {
  Deno.test(`the user's git runs nothing that was planted, ${mode}`, async (t) => {
    await using place = await makePlace();
    await furnish(place);
    for (const door of DOORS) {
      await t.step(`by ${door.name}`, async () => {
        await reset(place);
        const executor = await startIn(place, "workspace", {}, { bubblewrap });
        const restored = await plantAndVisit(place, door, executor);
        await executor.close();
        assert(!await exists(`${place.outside}/ran`), `it ran; restored: ${restored?.join("; ")}`);
        assert(await exists(`${place.workspace}/.git/HEAD`));
        if (door.gone) assert(!await exists(`${place.workspace}/${door.gone}`));
      });
    }
  });
}

/** Defines the test that shows that the doors are some. */
export function defineOpenDoors(): void {
  Deno.test("the same doors are open without confinement", async () => {
    await using place = await makePlace();
    await furnish(place);
    const executor = await startIn(place, "full-access");
    const closed: string[] = [];
    for (const door of DOORS.filter(({ control }) => control === undefined)) {
      await reset(place);
      await plantAndVisit(place, door, executor);
      if (!await exists(`${place.outside}/ran`)) closed.push(door.name);
    }
    await executor.close();
    assertEquals(closed, []);
  });
}
