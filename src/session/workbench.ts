import type { Executor } from "../bash/executor_handle.ts";
import { ExecutorPool } from "../bash/pool.ts";
import { type Config, defined, type Preset } from "../config/config.ts";
import { AgentError, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import { policyFor, type PolicyOutcome } from "../sandbox/policy.ts";
import { throughLink } from "./linked_executor.ts";
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
    limits: defined(config.limits),
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
      ...ownPlacesOf(config),
      ...(wish ? { wish } : {}),
    });
  const reports = new Map<Preset, ConfinementReport>();
  const executor = async (preset: Preset, wish?: Wish): Promise<Executor> => {
    const linked = [cwd, ...extraRoots];
    const real = await Promise.all([realDirectory(cwd), ...extraRoots.map(realOrSelf)]);
    await Deno.mkdir(options.tempDir(), { recursive: true, mode: 0o700 });
    // An approved edit in a preset that writes nothing is made with the rights of `workspace`, not with more.
    const { policy: own } = wish === "edit"
      ? policy(preset === "read-only" ? "workspace" : preset)
      : policy(preset, wish);
    const inner = await pool.get(own);
    if (wish === undefined) reports.set(preset, inner.report);
    return linked.reduce((executor, link, i) => throughLink(executor, link, real[i]!), inner);
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

/** What the session's directory really is. @throws AgentError("internal") when it is gone. */
async function realDirectory(cwd: string): Promise<string> {
  try {
    return await Deno.realPath(cwd);
  } catch (e) {
    throw new AgentError("internal", `The session's directory ${cwd} cannot be used: ${messageOf(e)}`, {
      cause: e,
    });
  }
}

/** A further directory that is gone grants nothing: what it would be is of no matter. */
async function realOrSelf(path: string): Promise<string> {
  return await Deno.realPath(path).catch(() => path);
}
