import { AgentError, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Limits } from "../sandbox/limits.ts";
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
  /** What commands may use; `DEFAULT_LIMITS` for what is not named. */
  readonly limits?: Partial<Limits>;
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
    return await startGuarded(options).catch((thrown) => startWithoutBash(thrown, options));
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError("sandbox", `the executor could not be started: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}

/** The shell that stands in where there is no bash; all else that kept an executor from starting is thrown on. */
async function startWithoutBash(thrown: unknown, options: ExecutorOptions): Promise<Executor> {
  const { NoBashError } = await import("./discover.ts");
  if (!(thrown instanceof NoBashError)) throw thrown;
  const { DaxExecutor } = await import("./dax/dax_host.ts");
  return await DaxExecutor.start(options);
}
