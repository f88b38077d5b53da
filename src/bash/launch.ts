import { AgentError } from "../errors.ts";
import { isWithin } from "../sandbox/paths.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Policy } from "../sandbox/policy.ts";

/** The private first argument by which a compiled program becomes an executor. */
export const EXECUTOR_FLAG = "--dsh-executor";

/**
 * An executor that only Landlock keeps from other files starts twice, since Landlock binds one thread: the first
 * process confines itself and becomes the second by `execve`, all of whose threads are then born confined. Inside
 * bubblewrap every thread has the namespace's read-only files, and secrets are read on the confined thread alone
 * (see `NativeReader`): there the second stage confines itself. An unconfined executor starts as the second.
 */
export type Stage = "confine" | "serve";

/** Programs and libraries of the machine, by absolute path. */
export interface Tools {
  readonly bash: string;
  /** Absent where the machine has none (macOS): Deno then makes the session, at the cost of a fork. */
  readonly setsid?: string;
  /** ripgrep; absent where there is none: then nothing can be searched. */
  readonly rg?: string;
  /** The C library; Linux only. */
  readonly libc?: string;
  /** bubblewrap; Linux only. */
  readonly bwrap?: string;
  /** `sandbox-exec`; macOS only. */
  readonly sandboxExec?: string;
}

/** All that decides how an executor is started; it travels as JSON in its last argument and holds no secret. */
export interface LaunchPlan {
  readonly policy: Policy;
  /** `Deno.execPath()`: Deno, or the compiled program itself. */
  readonly program: string;
  /** `Deno.build.standalone`. */
  readonly standalone: boolean;
  /** URL of `executor.ts`: a file, or a module of a registry. */
  readonly entry: string;
  /** Deno's cache, where the executor's modules lie. */
  readonly denoDir: string;
  readonly tools: Tools;
  /** See `tagDescendants`. */
  readonly tag: number;
  readonly limits?: Limits;
  /** True: bubblewrap stands around the executor. */
  readonly inNamespaces?: boolean;
  /** True: macOS's sandbox stands around it. */
  readonly inSeatbelt?: boolean;
}

/** The stage that the agent starts. */
export function firstStage(
  { policy, inNamespaces, inSeatbelt }: Pick<LaunchPlan, "policy" | "inNamespaces" | "inSeatbelt">,
): Stage {
  return policy.confined && !inNamespaces && !inSeatbelt ? "confine" : "serve";
}

/** The command line of a stage. Throws `AgentError("sandbox")` for a path that Deno's flags cannot say. */
export function launchArgv(plan: LaunchPlan, stage: Stage): string[] {
  const own = [stage, JSON.stringify(plan)];
  if (plan.standalone) return [plan.program, EXECUTOR_FLAG, ...own];
  return [
    plan.program,
    "run",
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-check",
    "--no-npm",
    // A module of a registry is remote for Deno, though it lies in the cache.
    plan.entry.startsWith("file:") ? "--no-remote" : "--cached-only",
    ...(stage === "confine" ? confineFlags(plan) : serveFlags(plan)),
    plan.entry,
    ...own,
  ];
}

/** The environment of the executor itself: nothing of the agent's. Commands get theirs in a message. */
export function launchEnv(plan: LaunchPlan): Record<string, string> {
  return { DENO_DIR: plan.denoDir, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
}

/** Looking for secrets to carve around, and system calls. */
function confineFlags(plan: LaunchPlan): string[] {
  return ["--allow-read", ...ffiFlag(plan)];
}

function serveFlags(plan: LaunchPlan): string[] {
  const { policy, tools } = plan;
  const programs = [tools.bash, tools.setsid, tools.rg].filter((program) => program !== undefined);
  return [
    scoped("--allow-run", programs, policy),
    "--allow-read",
    ...denyRead(policy),
    policy.confined ? scoped("--allow-write", policy.writable, policy) : "--allow-write",
    ...ffiFlag(plan),
  ];
}

function ffiFlag(plan: LaunchPlan): string[] {
  return plan.tools.libc === undefined ? [] : [scoped("--allow-ffi", [plan.tools.libc], plan.policy)];
}

/**
 * Secret places as far as flags can say them: a denied directory cannot have a readable one below it, so those
 * that hold the workspace, the temporary directory or the user's skills are left to the kernel.
 */
function denyRead(policy: Policy): string[] {
  const open = [...policy.writable, ...policy.readable];
  const places = policy.secret.filter((place) =>
    !place.includes(",") && !open.some((root) => isWithin(root, place))
  );
  return places.length === 0 ? [] : [`--deny-read=${places.join(",")}`];
}

/** Deno splits a flag's paths at commas: one that has a comma leaves the flag to the kernel, if that is there. */
function scoped(flag: string, paths: readonly string[], policy: Policy): string {
  const comma = paths.find((path) => path.includes(","));
  if (comma === undefined) return `${flag}=${paths.join(",")}`;
  if (policy.confined) return flag;
  throw new AgentError(
    "sandbox",
    `${comma} has a comma in its path, which Deno's ${flag} cannot say; rename it`,
  );
}
