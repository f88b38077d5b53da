import { AgentError, messageOf } from "../errors.ts";
import type { Executor } from "./executor_handle.ts";
import type { ExecutorOptions } from "./executor_options.ts";

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
