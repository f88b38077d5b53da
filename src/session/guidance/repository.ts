import { dirname } from "@std/path/dirname";

/** Directories above a session's that are looked at; deeper trees are nobody's. */
const MAX_DEPTH = 40;

/**
 * The directories from a repository's root down to `cwd`, real paths, the root first; `cwd` alone where there is
 * no repository, or one that another user made: who can write above a workspace must not speak into it. Throws
 * where `cwd` is gone.
 */
export async function directoriesDownTo(cwd: string): Promise<string[]> {
  const real = await Deno.realPath(cwd);
  const { uid } = await Deno.stat(real);
  const chain: string[] = [];
  for (let at = real; chain.length < MAX_DEPTH; at = dirname(at)) {
    chain.unshift(at);
    const dotGit = await Deno.stat(`${at}/.git`).catch(() => undefined);
    if (dotGit?.isDirectory || dotGit?.isFile) return isOurs(dotGit.uid, uid) ? chain : [real];
    if (dirname(at) === at) break;
  }
  return [real];
}

function isOurs(owner: number | null, workspaceOwner: number | null): boolean {
  return owner === null || owner === workspaceOwner || owner === Deno.uid();
}
