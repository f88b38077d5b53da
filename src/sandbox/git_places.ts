import { kindOf, namesIn } from "./look.ts";

/**
 * How a protected place is dealt with: a `tree` or `file` must stay as it is; a git `config` or `modules` file may
 * gain harmless settings; a `pointer` may lead to git directories of the workspace only; a `repository` must stay
 * the directory that it was.
 */
export type Treatment = "tree" | "file" | "config" | "modules" | "pointer" | "repository";

/** A path through which the user's own programs would run what was planted; it need not exist. */
export interface ProtectedPlace {
  readonly path: string;
  readonly as: Treatment;
}

/** Reads a small text file; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** Submodules in submodules are followed so deep. */
const MAX_DEPTH = 6;

/** The git directories that git uses for a worktree: its own one, and the common one of linked worktrees. */
export async function gitDirsOf(dotGit: string, read: ReadText): Promise<string[]> {
  const own = kindOf(dotGit) === "file" ? await pointedTo(dotGit, read) : realDirectory(dotGit);
  if (own === undefined) return [];
  const common = await pointedTo(`${own}/commondir`, read);
  return common === undefined || common === own ? [own] : [own, common];
}

/** The directory that a `.git` file or a `commondir` names. */
export async function pointedTo(pointer: string, read: ReadText): Promise<string | undefined> {
  if (kindOf(pointer) !== "file") return undefined;
  const target = (await read(pointer))?.replace(/^gitdir:\s*/, "").trimEnd();
  if (!target) return undefined;
  return realDirectory(
    target.startsWith("/") ? target : `${pointer.slice(0, pointer.lastIndexOf("/"))}/${target}`,
  );
}

function realDirectory(path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    return Deno.statSync(real).isDirectory ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The places of one git directory that decide what git runs, those of its submodules and worktrees included. */
export function placesOfGitDir(gitDir: string, depth: number = 0): ProtectedPlace[] {
  return [
    { path: `${gitDir}/hooks`, as: "tree" },
    { path: `${gitDir}/config`, as: "config" },
    { path: `${gitDir}/config.worktree`, as: "config" },
    { path: `${gitDir}/info/attributes`, as: "file" },
    { path: `${gitDir}/commondir`, as: "pointer" },
    ...(kindOf(`${gitDir}/worktrees`) === "directory" ? namesIn(`${gitDir}/worktrees`) : []).flatMap((
      name,
    ): ProtectedPlace[] => [
      { path: `${gitDir}/worktrees/${name}/commondir`, as: "pointer" },
      { path: `${gitDir}/worktrees/${name}/config.worktree`, as: "config" },
    ]),
    ...moduleDirs(gitDir, depth).flatMap((dir) => placesOfGitDir(dir, depth + 1)),
  ];
}

/** The git directories of submodules below one; a submodule's name may hold slashes. */
export function moduleDirs(gitDir: string, depth: number = 0): string[] {
  if (depth >= MAX_DEPTH) return [];
  const visit = (directory: string, level: number): string[] => {
    if (level > MAX_DEPTH || kindOf(directory) !== "directory") return [];
    if (level > 0 && kindOf(`${directory}/HEAD`) !== undefined) return [directory];
    return namesIn(directory, 200).flatMap((name) => visit(`${directory}/${name}`, level + 1));
  };
  return visit(`${gitDir}/modules`, 0);
}
