import type { Executor } from "../bash/executor_handle.ts";
import { ExecutorPool } from "../bash/pool.ts";
import type { Config, Preset } from "../config/config.ts";
import type { Log } from "../log.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import { policyFor, type PolicyOutcome } from "../sandbox/policy.ts";
import type { Workbench } from "./ports.ts";

/** What a session's workbench is made for. */
export interface WorkbenchOptions {
  readonly config: Config;
  readonly log: Log;
  /** The session's directory, absolute. */
  readonly cwd: string;
  /** The session's private temporary directory; made when the first executor starts. */
  readonly tempDir: string;
}

/** A workbench whose executors are those of the session's preset. */
export function sessionWorkbench(options: WorkbenchOptions): Workbench {
  const { config, log, cwd, tempDir } = options;
  const pool = new ExecutorPool({
    environment: config.environment,
    envPass: config.envPass,
    home: config.home,
    log,
  });
  const policy = (preset: Preset, wish?: "unconfined"): PolicyOutcome =>
    policyFor({
      preset,
      cwd,
      tempDir,
      home: config.home,
      stateDir: config.stateDir,
      ...ownPlacesOf(config.environment, config.home, config.configFile),
      ...(wish ? { wish } : {}),
    });
  const executor = async (wish?: "edit" | "unconfined"): Promise<Executor> => {
    await Deno.mkdir(tempDir, { recursive: true, mode: 0o700 });
    // An approved edit in a preset that writes nothing is made with the rights of `workspace`, not with more.
    const preset = wish === "edit" && config.preset === "read-only" ? "workspace" : config.preset;
    return await pool.get(policy(preset, wish === "unconfined" ? wish : undefined).policy);
  };
  return {
    executor,
    prepare: () => void executor().catch(() => {}),
    notes: () => policy(config.preset).notes,
    close: () => pool.close(),
  };
}
