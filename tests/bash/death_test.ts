import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { namesIn } from "../support/files.ts";
import { isAlive, processesRunning } from "../support/process_tree.ts";
import { eventually } from "../support/waiting.ts";
import type { Script } from "./fake_agent.ts";
import { environmentIn, makePlace, type Place, startIn, startRig, uniqueSleep } from "./rig.ts";

/** Commands whose processes hide as well as they can: own session, no parent, no environment. */
function hidden(nap: string): string {
  const quiet = ">/dev/null 2>&1 </dev/null";
  return `env -i setsid setsid sleep ${nap} ${quiet} & (setsid sleep ${nap} ${quiet} &); sleep ${nap} ${quiet} &`;
}

async function executorOf(place: Place): Promise<number> {
  await eventually("the executor", () => processesRunning(place.tempDir).length > 0);
  return processesRunning(place.tempDir)[0]!.pid;
}

Deno.test("closing an executor ends all that it runs", async () => {
  await using rig = await startRig();
  const nap = uniqueSleep();
  const running = rig.run(`${hidden(nap)} wait`);
  await eventually("its processes", () => processesRunning(nap).length >= 3);
  await rig.executor.close();
  assertEquals((await running).exit, { signal: "SIGKILL" });
  assertEquals(processesRunning(nap), []);
  assert(rig.executor.closed);
  await assertRejects(() => rig.executor.stat("/"), AgentError, "has ended");
  await assertRejects(() => rig.run("true"), AgentError, "has ended");
});

Deno.test("an executor that is killed leaves nothing and settles everything", async (t) => {
  for (const preset of ["workspace", "full-access"] as const) {
    await t.step(preset, async () => {
      await using rig = await startRig(preset);
      await using unrelated = new Deno.Command("sleep", { args: [uniqueSleep()] }).spawn();
      const nap = uniqueSleep();
      const seen = Promise.withResolvers<void>();
      const running = rig.run(`echo on; ${hidden(nap)} wait`, { onOutput: () => seen.resolve() });
      await eventually("its processes", () => processesRunning(nap).length >= 3);
      await seen.promise;
      Deno.kill(await executorOf(rig.place), "SIGKILL");
      const ran = await running;
      assertEquals([ran.exit, ran.output, ran.stopped], [{ signal: "SIGKILL" }, "on\n", undefined]);
      assertEquals(processesRunning(nap), []);
      assert(isAlive(unrelated.pid));
      assert(rig.executor.closed);
    });
  }
});

Deno.test("a command that kills all it may kill ends its executor, not the agent", async () => {
  await using rig = await startRig();
  await using victim = new Deno.Command("sleep", { args: [uniqueSleep()] }).spawn();
  // Never where it would reach further than the confinement.
  assert(
    ["bubblewrap", "landlock"].some((layer) => rig.executor.report.layers.includes(layer as "landlock")),
  );
  assert(!rig.executor.report.missing.some((line) => line.startsWith("signals")));
  const ran = await rig.run("kill -9 -1; sleep 1");
  assertEquals(ran.exit, { signal: "SIGKILL" });
  assert(isAlive(victim.pid));
  await using next = await startIn(rig.place, "workspace").then((executor) => ({
    executor,
    [Symbol.asyncDispose]: () => executor.close(),
  }));
  assertEquals((await next.executor.stat(rig.place.workspace)).kind, "directory");
});

Deno.test("an executor that is stopped by a command is given up after the time-out", async () => {
  await using rig = await startRig();
  const started = performance.now();
  const ran = await rig.run("kill -STOP $PPID; sleep 60", { timeoutMs: 500 });
  assertEquals(ran.stopped, "timeout");
  assert(performance.now() - started < 50_000);
});

Deno.test("a file that was being written does not stay behind when the executor dies", async () => {
  await using rig = await startRig();
  const pid = await executorOf(rig.place);
  const writing = rig.executor.writeFile(`${rig.place.workspace}/big`, new Uint8Array(20_000_000));
  Deno.kill(pid, "SIGKILL");
  await writing.catch(() => {});
  assertEquals(namesIn(rig.place.workspace).filter((name) => name !== "big"), []);
});

Deno.test("an agent that is killed leaves nothing", async (t) => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await t.step(signal, async () => {
      await using place = await makePlace();
      const nap = uniqueSleep();
      const script: Script = {
        policy: { preset: "workspace", cwd: place.workspace, ...place },
        steps: [{ run: `${hidden(nap)} wait` }],
      };
      const path = `${place.root}/script.json`;
      await Deno.writeTextFile(path, JSON.stringify(script));
      const agent = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          "--no-config",
          "--no-lock",
          new URL("./fake_agent.ts", import.meta.url).href,
          path,
        ],
        env: environmentIn(place.home),
        stdout: "null",
      }).spawn();
      await eventually("its processes", () => processesRunning(nap).length >= 3);
      agent.kill(signal);
      await agent.status;
      await eventually("their end", () => processesRunning(nap).length === 0);
      await eventually("the executor's end", () => processesRunning(place.tempDir).length === 0);
    });
  }
});
