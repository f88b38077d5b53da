import type { Log } from "../log.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Policy } from "../sandbox/policy.ts";

/** What `startExecutor` needs; the environment is the agent's own, commands get what the scrub leaves. */
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
