import { assert, assertEquals, assertMatch } from "@std/assert";
import { discoverTools } from "../../src/bash/discover.ts";
import { LIVE_LIMIT, TAIL_LIMIT } from "../../src/bash/executor_handle.ts";
import { launchArgv, launchEnv } from "../../src/bash/launch.ts";
import type { ToExecutor } from "../../src/bash/wire.ts";
import { denoDirOf } from "../../src/sandbox/own_places.ts";
import { policyFor } from "../../src/sandbox/policy.ts";
import { namesIn } from "../support/files.ts";
import { memoryOf, processesRunning } from "../support/process_tree.ts";
import { eventually, pause } from "../support/waiting.ts";
import { makePlace, startRig, uniqueSleep } from "./rig.ts";

/** One executor serves many cases: they are also a test of its living through them. */
Deno.test("Executor.run() tells how a command ended", async (t) => {
  await using rig = await startRig();

  await t.step("by its exit code", async () => {
    assertEquals((await rig.run("exit 3")).exit, { code: 3 });
    assertEquals((await rig.run("true")).exit, { code: 0 });
  });
  await t.step("by the signal that killed bash itself", async () => {
    assertEquals((await rig.run("kill -9 $$")).exit, { signal: "SIGKILL" });
    assertEquals((await rig.run("kill -TERM $$")).exit, { signal: "SIGTERM" });
  });
  await t.step("as bash reports a signal to one of its children", async () => {
    assertEquals((await rig.run("bash -c 'kill -9 $$'; exit $?")).exit, { code: 137 });
  });
  await t.step("as bash reports what cannot be run", async () => {
    const ran = await rig.run("no-such-program-here");
    assertEquals(ran.exit, { code: 127 });
    assertMatch(ran.output, /command not found/);
    assertEquals((await rig.run("echo (")).exit, { code: 2 });
  });
  await t.step("with a working directory that does not exist named in the error", async () => {
    const fault = await rig.executor.run(
      { command: "true", cwd: "/no/such/place", timeoutMs: 1000 },
      () => {},
      new AbortController().signal,
    ).catch((e) => e.message);
    assertEquals(fault, "the working directory /no/such/place does not exist");
  });
  await t.step("without a stopping cause, bytes omitted or strays", async () => {
    const { exit: _, durationMs, output: __, ...rest } = await rig.run("echo hello");
    assert(durationMs >= 0);
    assertEquals(rest, {
      ...{ stopped: undefined, totalBytes: 6, omittedBytes: 0, tail: "" },
      ...{ spillPath: undefined, strays: 0 },
    });
  });
});

Deno.test("Executor.run() gives output as it was written", async (t) => {
  await using rig = await startRig();

  await t.step("stdout and stderr in arrival order", async () => {
    const { output } = await rig.run("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
    assertEquals(output, "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
  });
  await t.step("while the command still runs", async () => {
    const first = Promise.withResolvers<void>();
    const done = rig.run(`echo early; until [ -e go ]; do sleep 0.02; done; echo late`, {
      onOutput: (text) => text.includes("early") && first.resolve(),
    });
    await first.promise;
    await Deno.writeTextFile(`${rig.place.workspace}/go`, "");
    assertEquals((await done).output, "early\nlate\n");
  });
  await t.step("UTF-8 that arrives in pieces is rejoined", async () => {
    const { output } = await rig.run(`printf '\\xe2'; sleep 0.1; printf '\\x82'; sleep 0.1; printf '\\xac'`);
    assertEquals(output, "€");
  });
  await t.step("a byte order mark stays", async () => {
    assertEquals((await rig.run(`printf '\\xef\\xbb\\xbfx'`)).output, "\ufeffx");
  });
  await t.step("binary output is valid text with all its bytes counted", async () => {
    const ran = await rig.run("head -c 100000 /dev/urandom");
    assertEquals(ran.totalBytes, 100_000);
    assertEquals(ran.output, ran.output.toWellFormed());
  });
  await t.step("what looks like a message of the executor is output", async () => {
    const forged = JSON.stringify({ ev: "ended", id: 1, result: { exit: { code: 0 } } });
    const ran = await rig.run(`echo '${forged}'; exit 4`);
    assertEquals(ran.output, forged + "\n");
    assertEquals(ran.exit, { code: 4 });
  });
  await t.step("stdin is empty, not the agent's", async () => {
    assertEquals((await rig.run("cat; read -r x; echo rc=$?")).output, "rc=1\n");
  });
  await t.step("a command longer than an argument runs, and no file is made of it", async () => {
    const ran = await rig.run(`echo begin; # ${"x".repeat(200_000)}\necho "end $-" >&2; exit 5`);
    assertMatch(ran.output, /^begin\nend /);
    assertEquals(ran.exit, { code: 5 });
    assertEquals(
      namesIn(rig.place.tempDir).filter((name) => !/^\.|^cache$|^dsh-rig|^output-/.test(name)),
      [],
    );
    const seen = await rig.run(`: ${"€".repeat(100_000)}\nprintf '%q ' "$#" "$IFS" "\${DSH_TEXT-none}"`);
    assertEquals(seen.output, `0 $' \\t\\n' none `);
  });
});

Deno.test("Executor.run() bounds long output", async (t) => {
  await using rig = await startRig();

  await t.step("what the model sees whole makes no file", async () => {
    const ran = await rig.run("head -c 65536 /dev/zero | tr '\\0' a");
    assertEquals([ran.output.length, ran.spillPath], [65536, undefined]);
  });
  await t.step("what is streamed whole is in the file too", async () => {
    const ran = await rig.run("seq 20000");
    assertEquals([ran.omittedBytes, ran.tail, ran.output.length], [0, "", ran.totalBytes]);
    assertEquals(await Deno.readTextFile(ran.spillPath!), ran.output);
  });
  await t.step("beyond that head and tail, and a file that later commands can read", async () => {
    const ran = await rig.run("seq 1000000");
    assertEquals(ran.totalBytes, 6888896);
    assertEquals(ran.output.length, LIVE_LIMIT);
    assertEquals(ran.tail.length, TAIL_LIMIT);
    assertEquals(ran.omittedBytes, ran.totalBytes - LIVE_LIMIT - TAIL_LIMIT);
    assert(ran.tail.endsWith("999999\n1000000\n"));
    assertEquals((await rig.run(`wc -c < ${ran.spillPath}`)).output, "6888896\n");
  });
  await t.step("cut between characters", async () => {
    const ran = await rig.run("for i in {1..200000}; do echo -n '€'; done");
    assertMatch(ran.output, /^€+$/);
    assertMatch(ran.tail, /^€+$/);
    const sum = 3 * (ran.output.length + ran.tail.length) + ran.omittedBytes;
    assertEquals([sum, ran.totalBytes], [600_000, 600_000]);
  });
  await t.step("100 MB leave the executor's memory flat", async () => {
    const executor = processesRunning(rig.place.tempDir)[0]!;
    const before = memoryOf(executor.pid, "VmRSS");
    const ran = await rig.run("head -c 100000000 /dev/zero | tr '\\0' a");
    assertEquals(ran.totalBytes, 100_000_000);
    assertEquals((await Deno.stat(ran.spillPath!)).size, 64 * 1024 * 1024);
    await Deno.remove(ran.spillPath!);
    assert(memoryOf(executor.pid, "VmHWM") - before < 48 * 1024);
  });
  await t.step("over 1 GiB is too much", async () => {
    const ran = await rig.run("head -c 3000000000 /dev/zero");
    assertEquals(ran.stopped, "output-limit");
    assert(ran.totalBytes > 2 ** 30 && ran.totalBytes < 2 ** 30 + 2 ** 20);
    await Deno.remove(ran.spillPath!);
  });
  await t.step("frames are small, also as JSON", async () => {
    const texts: string[] = [];
    await rig.run("head -c 200000 /dev/zero", { onOutput: (text) => texts.push(text) });
    assert(texts.every((text) => JSON.stringify(text).length < 56 * 1024));
  });
  await t.step("endless output ends by its time-out", async () => {
    const ran = await rig.run("yes", { timeoutMs: 500 });
    assertEquals([ran.stopped, ran.exit], ["timeout", { signal: "SIGTERM" }]);
    await Deno.remove(ran.spillPath!);
  });
});

Deno.test("a temporary directory that is gone costs the spill file, not the command", async () => {
  // Not in /tmp: there the workspace's mount point would lie in the temporary directory.
  await using rig = await startRig("workspace", {}, await makePlace("/var/tmp"));
  await Deno.remove(rig.place.tempDir, { recursive: true });
  const ran = await rig.run("seq 100000");
  assertEquals([ran.exit, ran.spillPath], [{ code: 0 }, undefined]);
  assertEquals(ran.totalBytes, 588895);
});

Deno.test("Executor.run() ends what must end, and nothing else", async (t) => {
  await using rig = await startRig();

  await t.step("a time-out takes the whole tree", async () => {
    const nap = uniqueSleep();
    const ran = await rig.run(`echo on; sleep ${nap} & sleep ${nap} & wait`, { timeoutMs: 300 });
    assertEquals([ran.stopped, ran.output], ["timeout", "on\n"]);
    assertEquals(processesRunning(nap), []);
  });
  await t.step("a process that ignores TERM is killed", async () => {
    const nap = uniqueSleep();
    const ran = await rig.run(`trap '' TERM; echo on; while :; do sleep ${nap}; done`, { timeoutMs: 200 });
    assertEquals([ran.stopped, ran.exit], ["timeout", { signal: "SIGKILL" }]);
    assertEquals(processesRunning(nap), []);
  });
  await t.step("one that needs a moment for its end gets it", async () => {
    const command = "trap 'echo bye; exit 7' TERM; echo on; while :; do sleep 0.01; done";
    const ran = await rig.run(command, { timeoutMs: 200 });
    assertEquals(ran.exit, { code: 7 });
    assertMatch(ran.output, /^on\n(Terminated\n)?bye\n$/); // bash may tell of its sleep's end
  });
  await t.step("cancelling keeps what was printed", async () => {
    const controller = new AbortController();
    const nap = uniqueSleep();
    const ran = await rig.run(`echo on; sleep ${nap}`, {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    assertEquals([ran.stopped, ran.output], ["cancelled", "on\n"]);
    assertEquals(processesRunning(nap), []);
  });
  await t.step("the first cause wins", async () => {
    const controller = new AbortController();
    const command = "trap '' TERM; echo on; while :; do sleep 0.05; done";
    const ran = await rig.run(command, {
      timeoutMs: 150,
      signal: controller.signal,
      onOutput: () => setTimeout(() => controller.abort(), 300),
    });
    assertEquals(ran.stopped, "timeout");
  });
  await t.step("cancelled before it began, nothing runs", async () => {
    const ran = await rig.run("touch ran", { signal: AbortSignal.abort() });
    assertEquals(ran.stopped, "cancelled");
    assertEquals((await rig.executor.stat(`${rig.place.workspace}/ran`)).kind, "missing");
  });
  await t.step("a background process that holds the pipe is ended and counted", async () => {
    const nap = uniqueSleep();
    const ran = await rig.run(`sleep ${nap} & echo done`);
    assertEquals([ran.exit, ran.output, ran.strays], [{ code: 0 }, "done\n", 1]);
    assertEquals(processesRunning(nap), []);
  });
  await t.step("a reader in a process substitution does not hold the call", async () => {
    const ran = await rig.run(`exec > >(trap '' TERM; cat); echo through; (sleep 100 &) `);
    assertEquals(ran.output, "through\n");
  });
  await t.step("daemons that left session and parent are ended too", async () => {
    const nap = uniqueSleep();
    const quiet = ">/dev/null 2>&1 </dev/null";
    const ran = await rig.run(
      `(setsid setsid sleep ${nap} ${quiet} &); nohup setsid sleep ${nap} ${quiet} & disown; sleep 0.2`,
    );
    assertEquals(ran.strays, 2);
    assertEquals(processesRunning(nap), []);
  });
  await t.step("a command's daemons go, another running command and its children stay", async () => {
    const [nap, other] = [uniqueSleep(), uniqueSleep()];
    const running = rig.run(`sleep ${other} & until [ -e stop ]; do sleep 0.02; done; kill %1; echo end`);
    await eventually("the other command's child", () => processesRunning(other).length > 0);
    const ran = await rig.run(`setsid sleep ${nap} >/dev/null 2>&1 & sleep 0.1`);
    assertEquals(ran.strays, 1);
    assertEquals(processesRunning(nap), []);
    assert(processesRunning(other).length > 0);
    await Deno.writeTextFile(`${rig.place.workspace}/stop`, "");
    assertEquals((await running).output, "end\n");
  });
  await t.step(
    "what hides and holds the pipe does not hold the call, nor does it outlive the commands",
    async () => {
      const nap = uniqueSleep();
      const other = rig.run("until [ -e stop2 ]; do sleep 0.02; done");
      const hidden = `env -i setsid bash -c '(exec -a ${nap} yes)'`;
      const ran = await rig.run(`${hidden} & env -i setsid sleep ${nap} & sleep 0.1; echo done >&2`);
      assertEquals(ran.exit, { code: 0 });
      await Deno.writeTextFile(`${rig.place.workspace}/stop2`, "");
      await other;
      assertEquals(processesRunning(nap), []);
      if (ran.spillPath !== undefined) await Deno.remove(ran.spillPath);
    },
  );
  await t.step("commands run side by side", async () => {
    const meet = (own: string, others: string[]) =>
      rig.run(
        `touch ${own}; until [ -e ${others[0]} ] && [ -e ${others[1]} ]; do sleep 0.02; done; echo ${own}`,
      );
    const ran = await Promise.all([meet("a", ["b", "c"]), meet("b", ["a", "c"]), meet("c", ["a", "b"])]);
    assertEquals(ran.map((r) => r.output), ["a\n", "b\n", "c\n"]);
  });
});

Deno.test("an agent that does not read holds the command up, not the executor's memory", async () => {
  await using place = await makePlace();
  const { policy } = policyFor({ ...place, preset: "workspace", cwd: place.workspace });
  const tools = await discoverTools({ PATH: "/usr/bin:/bin" });
  const denoDir = denoDirOf(Deno.env.toObject(), Deno.env.get("HOME")!);
  const entry = new URL("../../src/bash/executor.ts", import.meta.url).href;
  const plan = { policy, program: Deno.execPath(), standalone: false, entry, denoDir, tools, tag: 300_001 };
  const [program, ...args] = launchArgv(plan, "confine");
  const child = new Deno.Command(program!, {
    ...{ args, stdin: "piped", stdout: "piped", clearEnv: true, env: launchEnv(plan) },
  }).spawn();
  const writer = child.stdin.getWriter();
  const say = (message: ToExecutor) => writer.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  await say({ op: "init", env: { PATH: "/usr/bin:/bin" }, marker: "slow" });
  for (let id = 1; id <= 5; id++) {
    await say({ op: "run", id, command: `touch began-${id}; yes`, cwd: place.workspace, timeoutMs: 600_000 });
  }
  await eventually("the commands", () => namesIn(place.workspace).length === 5);
  await pause(500);
  assert(memoryOf(child.pid, "VmHWM") < 160 * 1024);
  await writer.close(); // it still hears that the agent is gone
  for await (const _ of child.stdout);
  assertEquals((await child.status).code, 0);
});
