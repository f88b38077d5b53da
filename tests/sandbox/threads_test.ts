import { assertEquals } from "@std/assert";
import { discoverTools } from "../../src/bash/discover.ts";
import { policyFor } from "../../src/sandbox/policy.ts";
import { makePlace, type Place } from "../bash/rig.ts";

const PROBE = new URL("./threads_probe.ts", import.meta.url).href;

/** What a Deno with all permissions can do outside after it confined itself, and after `execve` if asked for. */
async function probe(place: Place, mode: "confined" | "executed"): Promise<Record<string, string>> {
  const { policy } = policyFor({ ...place, preset: "workspace", cwd: place.workspace });
  const { libc } = await discoverTools({ PATH: "/usr/bin:/bin" });
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROBE, mode, libc!, JSON.stringify(policy), place.outside],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout) || JSON.stringify(new TextDecoder().decode(stderr)));
}

Deno.test("confine() binds only its own thread, which is why an executor starts twice", async () => {
  await using place = await makePlace();
  await Deno.writeTextFile(`${place.outside}/file`, "here");
  const { syncWrite, asyncWrite } = await probe(place, "confined");
  assertEquals([syncWrite, asyncWrite], ["refused", "done"]);
});

Deno.test("after execve every thread is confined, by the kernel alone", async () => {
  await using place = await makePlace();
  await Deno.mkdir(`${place.home}/.ssh`);
  await Deno.writeTextFile(`${place.home}/.ssh/id`, "secret");
  await Deno.symlink(place.home, `${place.outside}/home`);
  assertEquals(await probe(place, "executed"), {
    syncWrite: "refused",
    asyncWrite: "refused",
    asyncRead: "refused",
    asyncRename: "refused",
    asyncSymlink: "refused",
    asyncList: "done", // names may be listed
    asyncInside: "done",
  });
});
