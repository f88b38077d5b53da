import { outsideGitDirs } from "../sandbox/outside_git.ts";
import { fingerprintOf, mountsOf, protectedIn, type ProtectedMounts } from "../sandbox/protected.ts";
import type { Executor } from "./executor_handle.ts";
import { Guard } from "./guard.ts";
import { GuardedExecutor } from "./guarded_executor.ts";
import type { ExecutorOptions } from "./executor_options.ts";
import { readByDeno } from "./read_by_deno.ts";
import { RemoteExecutor } from "./remote_executor.ts";

/** Milliseconds that the search for repositories may take before an executor starts. */
const SEARCH_MS = 60;
const MAX_TEXT_BYTES = 256 * 1024;

/** Starts an executor, with its workspaces' protected places kept; see `startExecutor`. */
export async function startGuarded(options: ExecutorOptions): Promise<Executor> {
  const { confined, writable, tempDir, secret } = options.policy;
  const roots = confined ? writable.filter((root) => root !== tempDir) : [];
  if (roots.length === 0) return await RemoteExecutor.start(options);
  const userConfigs = [`${options.environment.HOME ?? options.home}/.gitconfig`, ...xdgConfig(options)];
  const set = await protectedIn({ roots, read: readText, userConfigs, budgetMs: SEARCH_MS });
  const outside = await outsideGitDirs(roots, secret, readText);
  const policy = { ...options.policy, writable: [...writable, ...outside] };
  const places = [...roots, ...outside];
  const mounts = mountsOf(set, places);
  const another = (kept?: ProtectedMounts) => RemoteExecutor.start({ ...options, policy }, kept);
  const inner = await another(mounts);
  const isMounted = inner.report.layers.includes("bubblewrap");
  const guard = new Guard({ roots, userConfigs, set, mounts: isMounted ? mounts : undefined, tempDir });
  const started = fingerprintOf(isMounted ? mounts : NO_MOUNTS, roots);
  const outdated = () =>
    started !== fingerprintOf(isMounted ? mountsOf(guard.known(), places) : NO_MOUNTS, roots);
  return new GuardedExecutor({ inner, guard, another, outdated });
}

const NO_MOUNTS: ProtectedMounts = { pinned: [], readOnly: [] };

function xdgConfig({ environment, home }: ExecutorOptions): string[] {
  return [`${environment.XDG_CONFIG_HOME || `${environment.HOME ?? home}/.config`}/git/config`];
}

async function readText(path: string): Promise<string | undefined> {
  const found = await Promise.resolve(readByDeno(path, 0, MAX_TEXT_BYTES)).catch(() => undefined);
  return found?.kind === "file" ? new TextDecoder().decode(found.bytes) : undefined;
}
