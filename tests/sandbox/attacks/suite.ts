import { assert, assertEquals } from "@std/assert";
import type { Step, StepResult } from "../../bash/fake_agent.ts";
import { makePlace } from "../../bash/rig.ts";
import { eventually } from "../../support/waiting.ts";
import { ATTACKS } from "./all.ts";
import type { Attack, Targets } from "./attack.ts";
import { bait, furnish, giveTo, play, snapshot } from "./stage.ts";

/** As whom the suite is played; undefined: as who runs the tests. */
export interface Player {
  readonly name: string;
  readonly user?: number;
  readonly ignore?: boolean;
}

const TOOLS: { name: string; step: (at: Targets) => Step }[] = [
  { name: "read a key", step: (at) => ({ read: `${at.home}/.ssh/id` }) },
  { name: "read by a symlink", step: (at) => ({ read: `${at.workspace}/s/id` }) },
  { name: "read a symlinked place", step: (at) => ({ read: `${at.home}/dotfiles/aws/credentials` }) },
  { name: "read the state", step: (at) => ({ read: `${at.stateDir}/sessions.db` }) },
  { name: "write outside", step: (at) => ({ write: `${at.outside}/by-tool` }) },
  { name: "write by a symlink", step: (at) => ({ write: `${at.workspace}/link/by-tool` }) },
  { name: "write by ..", step: (at) => ({ write: `${at.workspace}/../../outside/by-dots` }) },
  { name: "write in home", step: (at) => ({ write: `${at.home}/.profile` }) },
];

const MODES = [{ name: "in bubblewrap", bubblewrap: true }, { name: "by Landlock alone", bubblewrap: false }];

/** Defines the tests of all attacks for one player: in both modes, and without confinement to see that they work. */
export function defineSuite({ name, user, ignore = false }: Player): void {
  const isRoot = user === undefined && Deno.uid() === 0;
  const steps = (at: Targets): Step[] => [
    ...ATTACKS.map((attack) => ({ run: `{ ${attack.command(at)}\n} 2>/dev/null` })),
    ...TOOLS.map(({ step }) => step(at)),
    { report: true },
  ];
  const isBreach = (result: StepResult) => result.output.includes("BREACH");

  for (const mode of MODES) {
    Deno.test(
      { name: `no attack of a confined command succeeds, ${name}, ${mode.name}`, ignore },
      async (t) => {
        await using place = await makePlace();
        await furnish(place);
        await using trap = await bait(place);
        await giveTo(user, place);
        const before = await snapshot(place.outside);
        const results = await play(place, "workspace", steps(trap.targets), {
          user,
          bubblewrap: mode.bubblewrap,
        });
        const holds = results.at(-1)!.output;
        if (mode.bubblewrap && !holds.startsWith("full")) {
          return void await t.step(`skipped, bubblewrap is not there: ${holds}`, () => {});
        }
        assert(mode.bubblewrap || holds.startsWith("partial"), holds);
        const stopped = (attack: Attack) => mode.bubblewrap ? !attack.harmlessInside : !attack.landlockGap;
        const breaches = ATTACKS.filter((attack, i) => stopped(attack) && isBreach(results[i]!));
        assertEquals(breaches.map((attack) => attack.name), []);
        const byTools = TOOLS.filter((_, i) => isBreach(results[ATTACKS.length + i]!));
        assertEquals(byTools.map((tool) => tool.name), []);
        assertEquals(await snapshot(place.outside), before);
        assertEquals(trap.hits(), []);
        assert(trap.victimLives());
        const open = ATTACKS.filter((attack) => !stopped(attack)).map((attack) => attack.name);
        await t.step(`not stopped here, as documented: ${open.join("; ")}`, () => {});
      },
    );
  }

  Deno.test({ name: `the same attacks succeed without confinement, ${name}`, ignore }, async (t) => {
    await using place = await makePlace();
    await furnish(place);
    await using trap = await bait(place);
    await giveTo(user, place);
    const all = steps(trap.targets);
    const results = await play(place, "full-access", all, { user, bubblewrap: false });
    const failed = ATTACKS.filter((_, i) => !isBreach(results[i]!));
    const expected = ({ control, name }: Attack) =>
      control === "depends on the kernel" || control === "scrubbed always" ||
      control === "root only" && !isRoot ||
      // A process of root's is none that an ordinary user could signal.
      user !== undefined && /process of the user|by a pidfd/.test(name);
    assertEquals(failed.filter((attack) => !expected(attack)).map((attack) => attack.name), []);
    assertEquals(ATTACKS.filter((a, i) => a.control === "scrubbed always" && isBreach(results[i]!)), []);
    const tools = TOOLS.filter((_, i) => !isBreach(results[ATTACKS.length + i]!));
    assertEquals(tools.map((tool) => tool.name), []);
    const kinds = ["abstract", "tcp", "udp", "unix"];
    await eventually("a visit to each listener", () => kinds.every((kind) => trap.hits().includes(kind)));
    await t.step(`fail on this machine anyway: ${failed.map((attack) => attack.name).join("; ")}`, () => {});
  });
}
