/**
 * Plays the agent for tests that kill it, run it as another user or start it with descriptors: does what the
 * JSON file named on its command line says and prints one JSON object a line.
 */
import type { CommandResult } from "../../src/bash/executor_handle.ts";
import { startExecutor } from "../../src/bash/host.ts";
import { silentLog } from "../../src/log.ts";
import { policyFor, type PolicyInput } from "../../src/sandbox/policy.ts";

/** What a fake agent does, in order. `AGENT` in a command becomes its pid. */
export interface Script {
  readonly policy: PolicyInput;
  /** See `ExecutorOptions`. */
  readonly bubblewrap?: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly run: string; readonly timeoutMs?: number }
  | { readonly read: string }
  | { readonly write: string }
  | { readonly stat: string }
  /** Tells what holds: the enforcement, and what is missing. */
  | { readonly report: true };

/** What became of a step. */
export interface StepResult {
  readonly output: string;
  readonly result?: CommandResult;
}

async function main(script: Script): Promise<void> {
  const { policy } = policyFor(script.policy);
  const environment = Deno.env.toObject();
  const executor = await startExecutor({
    policy,
    environment,
    envPass: [],
    home: environment.HOME!,
    log: silentLog,
    ...(script.bubblewrap === undefined ? {} : { bubblewrap: script.bubblewrap }),
  });
  const step = async (step: Step): Promise<StepResult> => {
    if ("read" in step) {
      return { output: new TextDecoder().decode((await executor.readFile(step.read, 10_000)).bytes) };
    }
    if ("write" in step) {
      await executor.writeFile(step.write, new TextEncoder().encode("BREACH"));
      return { output: "BREACH" };
    }
    if ("report" in step) {
      const { enforcement, missing } = executor.report;
      return { output: [enforcement, ...missing].join("; ") };
    }
    if ("stat" in step) return { output: (await executor.stat(step.stat)).kind };
    let output = "";
    const result = await executor.run(
      {
        command: step.run.replaceAll("AGENT", `${Deno.pid}`),
        cwd: policy.cwd,
        timeoutMs: step.timeoutMs ?? 20_000,
      },
      (text) => output += text,
      new AbortController().signal,
    );
    return { output, result };
  };
  for (const each of script.steps) {
    const answer = await step(each).catch((e): StepResult => ({ output: `${e.name}: ${e.message}` }));
    await print(answer);
  }
  await executor.close();
}

async function print(value: unknown): Promise<void> {
  const writer = Deno.stdout.writable.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(value) + "\n"));
  writer.releaseLock();
}

if (import.meta.main) await main(JSON.parse(await Deno.readTextFile(Deno.args[0]!)));
