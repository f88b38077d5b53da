import { AgentError, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Executor } from "./executor_handle.ts";

/** What {@linkcode startExecutor} needs; the environment is the agent's own, commands get what the scrub leaves. */
export interface ExecutorOptions {
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string>>;
  readonly envPass: readonly string[];
  /** The user's home directory, absolute. */
  readonly home: string;
  readonly log: Log;
  /** URL of the executor's module; the one of this package by default. */
  readonly entry?: string;
  /** False: no bubblewrap, although it may be there; for tests of what then holds. */
  readonly bubblewrap?: boolean;
}

/**
 * Starts an executor. Rejects with `AgentError("sandbox")`, naming cause and mend, when the machine lacks what
 * the policy asks for: then nothing has run. The machinery is loaded on the first call, so that importing this
 * costs the agent's start nothing.
 */
export async function startExecutor(options: ExecutorOptions): Promise<Executor> {
  try {
    const { startGuarded } = await import("./start_guarded.ts");
    return await startGuarded(options);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError("sandbox", `the executor could not be started: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
