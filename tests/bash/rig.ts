import type { CommandResult, Executor } from "../../src/bash/executor_handle.ts";
import type { ExecutorOptions } from "../../src/bash/executor_options.ts";
import { startExecutor } from "../../src/bash/host.ts";
import type { Preset } from "../../src/config/config.ts";
import { silentLog } from "../../src/log.ts";
import { policyFor, type PolicyInput } from "../../src/sandbox/policy.ts";

/** A place to work in that is like a user's machine: home, workspace, state; all of it gone at the end. */
export interface Place extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  /** Neither workspace nor home: nothing here may change. */
  readonly outside: string;
  readonly stateDir: string;
  readonly tempDir: string;
}

/** `dir`: where it is made; `/tmp` by default, which bubblewrap hides but for the place itself. */
export async function makePlace(dir?: string): Promise<Place> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "dsh-rig-", ...(dir && { dir }) }));
  const place = {
    root,
    home: `${root}/home`,
    workspace: `${root}/home/project`,
    outside: `${root}/outside`,
    stateDir: `${root}/home/.local/state/dsh-acp`,
    tempDir: `${root}/home/.local/state/dsh-acp/tmp/s1`,
  };
  for (const directory of [place.workspace, place.outside, place.tempDir]) {
    await Deno.mkdir(directory, { recursive: true });
  }
  return { ...place, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

/** The environment of a test's agent: enough to work, its own home. */
export function environmentIn(home: string): Record<string, string> {
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    ...(Deno.env.get("DENO_DIR") ? { DENO_DIR: Deno.env.get("DENO_DIR")! } : {}),
  };
}

/** An executor in a place of its own. */
export interface Rig extends AsyncDisposable {
  readonly place: Place;
  readonly executor: Executor;
  run(command: string, options?: RunOptions): Promise<Ran>;
}

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

export interface Ran extends CommandResult {
  /** What was streamed. */
  readonly output: string;
}

export async function startRig(
  preset: Preset = "workspace",
  more: Partial<PolicyInput> = {},
  place: Place | undefined = undefined,
  options: Partial<ExecutorOptions> = {},
): Promise<Rig> {
  place ??= await makePlace();
  return rigOf(place, await startIn(place, preset, more, options));
}

function rigOf(place: Place, executor: Executor): Rig {
  return {
    place,
    executor,
    run: (command, options = {}) => runIn(executor, place.workspace, command, options),
    async [Symbol.asyncDispose]() {
      await executor.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

export async function startIn(
  place: Place,
  preset: Preset,
  more: Partial<PolicyInput> = {},
  options: Partial<ExecutorOptions> = {},
): Promise<Executor> {
  const { policy } = policyFor({
    preset,
    cwd: place.workspace,
    home: place.home,
    stateDir: place.stateDir,
    tempDir: place.tempDir,
    ...more,
  });
  const environment = environmentIn(place.home);
  return await startExecutor({
    policy,
    environment,
    envPass: [],
    home: Deno.env.get("HOME")!,
    log: silentLog,
    ...options,
  });
}

export async function runIn(
  executor: Executor,
  cwd: string,
  command: string,
  { timeoutMs = 60_000, signal = new AbortController().signal, onOutput }: RunOptions = {},
): Promise<Ran> {
  let output = "";
  const result = await executor.run({ command, cwd, timeoutMs }, (text) => {
    output += text;
    onOutput?.(text);
  }, signal);
  return { ...result, output };
}

/** A number of seconds that no other test sleeps: it tells this test's processes from all others. */
export function uniqueSleep(): string {
  return `${4000 + crypto.getRandomValues(new Uint16Array(1))[0]! % 1000}.${
    crypto.getRandomValues(new Uint32Array(1))[0]
  }`;
}
