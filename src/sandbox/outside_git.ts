import { parseGitConfig } from "./git_config.ts";
import { gitDirsOf, type ReadText } from "./git_places.ts";
import { kindOf } from "./look.ts";
import { isWithin } from "./paths.ts";

/**
 * Git directories outside of a workspace that belong to it: of a linked worktree, or of a submodule that was opened
 * by itself. Without them nothing could be committed there. What is named by the workspace is believed only when it
 * names the workspace in turn, from where no command can have written.
 */
export async function outsideGitDirs(
  roots: readonly string[],
  secret: readonly string[],
  read: ReadText,
): Promise<string[]> {
  const found: string[] = [];
  for (const root of roots) {
    const dotGit = `${root}/.git`;
    if (kindOf(dotGit) !== "file") continue;
    const [own, common] = await gitDirsOf(dotGit, read);
    if (own === undefined || roots.some((other) => isWithin(own, other))) continue;
    if (common === undefined) {
      if (await isSubmoduleOf(own, root, read)) found.push(own);
    } else if ((await read(`${own}/gitdir`))?.trimEnd() === dotGit && isWithin(own, `${common}/worktrees`)) {
      found.push(own, ...["objects", "refs", "logs"].map((name) => `${common}/${name}`));
    }
  }
  const holdsSecret = (dir: string) => secret.some((place) => isWithin(place, dir) || isWithin(dir, place));
  return found.filter((dir) => kindOf(dir) === "directory" && !holdsSecret(dir));
}

async function isSubmoduleOf(gitDir: string, worktree: string, read: ReadText): Promise<boolean> {
  const settings = parseGitConfig(await read(`${gitDir}/config`) ?? "") ?? [];
  const value = settings.findLast(({ key }) => key === "core.worktree")?.value;
  if (value === undefined) return false;
  const real = await Deno.realPath(value.startsWith("/") ? value : `${gitDir}/${value}`).catch(() =>
    undefined
  );
  return real === worktree;
}
