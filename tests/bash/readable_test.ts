import { assert, assertEquals } from "@std/assert";
import { ownPlacesOf } from "../../src/sandbox/own_places.ts";
import { makePlace, startRig } from "./rig.ts";

/** bubblewrap veils what is secret below `/tmp`; elsewhere, and without it, Landlock alone keeps it. */
const MODES = [
  { name: "in bubblewrap, below /tmp", dir: undefined, bubblewrap: true },
  { name: "in bubblewrap, elsewhere", dir: "/var/tmp", bubblewrap: true },
  { name: "by Landlock alone", dir: undefined, bubblewrap: false },
];

for (const { name, dir, bubblewrap } of MODES) {
  Deno.test(`the user's skills can be read, and nothing else of the configuration (${name})`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    const place = await makePlace(dir);
    const own = `${place.home}/.config/dsh-acp`;
    const skill = `${own}/skills/x/SKILL.md`;
    await Deno.mkdir(`${own}/skills/x`, { recursive: true });
    const secrets = [`${own}/config.jsonc`, `${own}/skills.bak`, `${place.home}/.ssh/id`];
    await Deno.mkdir(`${place.home}/.ssh`);
    await Deno.writeTextFile(skill, "how to");
    for (const path of secrets) await Deno.writeTextFile(path, "a private text");
    await Deno.symlink(`${place.home}/.ssh`, `${own}/skills/link`);
    const places = ownPlacesOf({
      environment: {},
      home: place.home,
      configFile: `${own}/config.jsonc`,
      keysFile: `${own}/keys.json`,
    });
    await using rig = await startRig("workspace", places, place, { bubblewrap });

    const read = (path: string) =>
      rig.executor.readFile(path, 100).then(({ bytes }) => new TextDecoder().decode(bytes), () => "refused");
    assertEquals(await read(skill), "how to");
    assertEquals((await rig.run(`cat ${skill}`)).output, "how to");
    await rig.run(`echo x > ${skill}; rm -rf ${own}/skills`);
    assertEquals(await Deno.readTextFile(skill), "how to");
    for (const path of [...secrets, `${own}/skills/link/id`, `${own}/skills/../config.jsonc`]) {
      assertEquals([path, await read(path)], [path, "refused"]);
      const { output } = await rig.run(`cat ${path}`);
      assert(!output.includes("private"), `${path}: ${output}`);
    }
  });
}
