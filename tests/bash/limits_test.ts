import { assert, assertEquals } from "@std/assert";
import { processesRunning } from "../support/process_tree.ts";
import { startRig, uniqueSleep } from "./rig.ts";

const LIMITS = { processes: 60, memoryBytes: 300e6, fileBytes: 20e6, openFiles: 256 };

for (const [mode, bubblewrap] of [["in bubblewrap", true], ["by Landlock alone", false]] as const) {
  Deno.test(`a command that takes too much ends with the reason, ${mode}`, async (t) => {
    await using rig = await startRig("workspace", {}, undefined, { bubblewrap, limits: LIMITS });
    const stopped = async (command: string) => (await rig.run(command)).stopped;

    // With a breath between its generations: the machine is shared with other tests.
    await t.step("a fork bomb", async () => {
      assertEquals(await stopped(":(){ sleep 0.05; :|:& };:; sleep 20"), "process-limit");
    });
    await t.step("one whose processes leave their session", async () => {
      const nap = uniqueSleep();
      assertEquals(
        await stopped(`for i in {1..200}; do setsid sleep ${nap} & done; sleep 20`),
        "process-limit",
      );
      assertEquals(processesRunning(nap), []);
    });
    await t.step("a process that takes much memory", async () => {
      assertEquals(
        await stopped(`python3 -c 'x = bytearray(2_000_000_000); input()' < <(sleep 20)`),
        "memory-limit",
      );
    });
    await t.step("many that take some", async () => {
      const code =
        `import os, time\nfor i in range(8):\n  if os.fork() == 0: break\nx = bytearray(60_000_000)\ntime.sleep(20)`;
      assertEquals(await stopped(`python3 -c '${code}'`), "memory-limit");
    });
    await t.step("a file that is too large", async () => {
      assertEquals(await stopped("exec head -c 50000000 /dev/zero > large"), "disk-limit");
      assert((await Deno.stat(`${rig.place.workspace}/large`)).size <= LIMITS.fileBytes);
    });
    await t.step("too many open files", async () => {
      const code = "import os\nfor i in range(400): os.dup(0)";
      assert((await rig.run(`python3 -c '${code}'`)).output.includes("Too many open files"));
    });
    await t.step("and the executor lives on", async () => {
      assertEquals((await rig.run("rm -f large; echo ok")).output, "ok\n");
    });
  });
}

// By itself: other tests shrink the free space of the disk as well.
Deno.test("a command that fills the disk ends with the reason", async () => {
  await using rig = await startRig("workspace", {}, undefined, { limits: { diskBytes: 100e6 } });
  const fill = "for i in {1..40}; do head -c 15000000 /dev/zero > f$i; sleep 0.02; done; sleep 20";
  assertEquals((await rig.run(fill)).stopped, "disk-limit");
  assertEquals((await rig.run("rm -f f*")).exit, { code: 0 });
});
