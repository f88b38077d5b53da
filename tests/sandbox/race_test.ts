import { assert, assertEquals } from "@std/assert";
import { kindOf } from "../../src/sandbox/look.ts";
import { eventually } from "../support/waiting.ts";
import { makePlace, runIn, startIn } from "../bash/rig.ts";

/** The path is checked, then opened: what a command swaps in between must not matter, whichever thread opens it. */
for (const [mode, bubblewrap] of [["in bubblewrap", true], ["by Landlock alone", false]] as const) {
  Deno.test(`the file tools win every race for a path, ${mode}`, async () => {
    await using place = await makePlace("/var/tmp");
    const { home, workspace, outside } = place;
    await Deno.mkdir(`${home}/.ssh`);
    await Deno.writeTextFile(`${home}/.ssh/id`, "SECRET");
    await Deno.mkdir(`${workspace}/real`);
    await Deno.writeTextFile(`${workspace}/real/id`, "mine");
    const executor = await startIn(place, "workspace", {}, { bubblewrap });
    const swapping = runIn(
      executor,
      workspace,
      `python3 -c '
import os
n = 0
while not os.path.exists("stop"):
    for target in "real", "${home}/.ssh", "real", "${outside}":
        os.symlink(target, "next"); os.rename("next", "race"); n += 1
print(n > 100)'`,
    );
    await eventually("the first swap", () => kindOf(`${workspace}/race`) === "symlink");
    const seen = new Set<string>();
    for (let i = 0; i < 250; i++) {
      const read = await executor.readFile(`${workspace}/race/id`, 99).catch(() => undefined);
      if (read !== undefined) seen.add(new TextDecoder().decode(read.bytes));
      await executor.writeFile(`${workspace}/race/made`, new Uint8Array([65])).catch(() => {});
    }
    await Deno.writeTextFile(`${workspace}/stop`, "");
    assertEquals((await swapping).output, "True\n");
    await executor.close();
    assert(!seen.has("SECRET"), [...seen].join());
    assertEquals(await Array.fromAsync(Deno.readDir(outside)), []);
  });
}
