import type { Executor } from "../bash/executor_handle.ts";
import { ExecutorPool } from "../bash/pool.ts";
import type { Config, Preset } from "../config/config.ts";
import type { Log } from "../log.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import { policyFor, type PolicyOutcome } from "../sandbox/policy.ts";
import type { Wish, Workbench } from "./ports.ts";

/** What a session's workbench is made for. */
export interface WorkbenchOptions {
  readonly config: Config;
  readonly log: Log;
  /** The session's directory, absolute. */
  readonly cwd: string;
  /** The session's private temporary directory; asked for, and made, when the first executor starts. */
  readonly tempDir: () => string;
}

/** A session's workbench: one executor for each policy that is in use. */
export function sessionWorkbench(options: WorkbenchOptions): Workbench {
  const { config, log, cwd } = options;
  let extraRoots: readonly string[] = [];
  const pool = new ExecutorPool({
    environment: config.environment,
    envPass: config.envPass,
    home: config.home,
    log,
  });
  const policy = (preset: Preset, wish?: Exclude<Wish, "edit">): PolicyOutcome =>
    policyFor({
      preset,
      cwd,
      extraRoots,
      tempDir: options.tempDir(),
      home: config.home,
      stateDir: config.stateDir,
      ...ownPlacesOf(config.environment, config.home, config.configFile),
      ...(wish ? { wish } : {}),
    });
  const reports = new Map<Preset, ConfinementReport>();
  const executor = async (preset: Preset, wish?: Wish): Promise<Executor> => {
    await Deno.mkdir(options.tempDir(), { recursive: true, mode: 0o700 });
    // An approved edit in a preset that writes nothing is made with the rights of `workspace`, not with more.
    if (wish === "edit") return await pool.get(policy(preset === "read-only" ? "workspace" : preset).policy);
    const executor = await pool.get(policy(preset, wish).policy);
    if (wish === undefined) reports.set(preset, executor.report);
    return executor;
  };
  return {
    executor,
    prepare: (preset) => void executor(preset).catch(() => {}),
    setRoots: (roots) => void (extraRoots = roots),
    report: (preset) => reports.get(preset),
    notes: (preset) => policy(preset).notes,
    close: () => pool.close(),
  };
}
