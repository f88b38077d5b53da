/**
 * Measures executors beside their floors, interleaved in one run so that a noisy machine is noisy for both: start
 * beside a bare `deno run`, a call beside a plain `setsid bash -c`, and 100 MB of output beside bash alone.
 */
import { startExecutor } from "../../src/bash/host.ts";
import type { Executor } from "../../src/bash/executor_handle.ts";
import { silentLog } from "../../src/log.ts";
import { policyFor } from "../../src/sandbox/policy.ts";

const ROUNDS = Number(Deno.args[0] ?? 25);
const CALLS = 5;
const FLOOD = "head -c 100000000 /dev/zero | tr '\\0' a";

const root = await Deno.makeTempDir({ prefix: "dsh-bench-", dir: "/var/tmp" });
const [workspace, tempDir] = [`${root}/home/project`, `${root}/state/tmp/s1`];
for (const directory of [workspace, tempDir]) await Deno.mkdir(directory, { recursive: true });
await Deno.writeTextFile(`${root}/empty.ts`, "");

const { policy } = policyFor({
  ...{ preset: "workspace", cwd: workspace, home: `${root}/home`, stateDir: `${root}/state`, tempDir },
});
const start = (bubblewrap: boolean): Promise<Executor> =>
  startExecutor({
    policy,
    environment: Deno.env.toObject(),
    envPass: [],
    home: Deno.env.get("HOME") ?? "/",
    log: silentLog,
    bubblewrap,
  });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const output = (program: string, ...args: string[]) =>
  new Deno.Command(program, { args, cwd: workspace, stdout: "piped", stderr: "null" }).output();
const call = (executor: Executor, command: string) =>
  executor.run({ command, cwd: workspace, timeoutMs: 60_000 }, () => {}, new AbortController().signal);

async function startTime(bubblewrap: boolean): Promise<number> {
  let executor: Executor | undefined;
  const ms = await timed(async () => executor = await start(bubblewrap));
  await executor?.close();
  return ms;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const show = (name: string, values: readonly number[], floor?: readonly number[]) => {
  const ratio = floor === undefined ? "" : `  ${(median(values) / median(floor)).toFixed(2)} ×`;
  const line = `${name.padEnd(44)} ${median(values).toFixed(1).padStart(7)} ms${ratio}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
};

const bare: number[] = [];
const starts: Record<"inside" | "alone", number[]> = { inside: [], alone: [] };
for (let i = 0; i <= ROUNDS; i++) {
  const floor = await timed(() => output(Deno.execPath(), "run", `${root}/empty.ts`));
  const [inside, alone] = [await startTime(true), await startTime(false)];
  if (i === 0) continue; // fills Deno's cache
  bare.push(floor);
  starts.inside.push(inside);
  starts.alone.push(alone);
}
show("a bare deno run", bare);
show("executor start, default layers", starts.inside, bare);
show("executor start, without bubblewrap", starts.alone, bare);

const [inside, alone] = [await start(true), await start(false)];
const calls: Record<"plain" | "inside" | "alone", number[]> = { plain: [], inside: [], alone: [] };
for (let i = 0; i < ROUNDS * CALLS; i++) {
  calls.plain.push(await timed(() => output("setsid", "bash", "-c", "true")));
  calls.inside.push(await timed(() => call(inside, "true")));
  calls.alone.push(await timed(() => call(alone, "true")));
}
show("plain setsid bash -c true", calls.plain);
show("a call, default layers", calls.inside, calls.plain);
show("a call, without bubblewrap", calls.alone, calls.plain);

const floods: Record<"plain" | "inside", number[]> = { plain: [], inside: [] };
for (let i = 0; i < 5; i++) {
  floods.plain.push(await timed(() => output("setsid", "bash", "-c", FLOOD)));
  floods.inside.push(await timed(() => call(inside, FLOOD)));
}
show("100 MB of output, bash read by Deno", floods.plain);
show("100 MB of output, executor", floods.inside, floods.plain);

await Promise.all([inside.close(), alone.close()]);
await Deno.remove(root, { recursive: true });
