import { findRepos, type FoundRepo } from "./find_repos.ts";
import { parseGitConfig } from "./git_config.ts";
import { gitDirsOf, moduleDirs, placesOfGitDir, type ProtectedPlace, type ReadText } from "./git_places.ts";
import { Glance, kindOf, stampOf } from "./look.ts";
import { isWithin } from "./paths.ts";

/** What editors, agents and shells run or obey when they find it in a directory that the user opens. */
export const TOOL_PLACES: readonly string[] = [
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", ".vs"],
  ...[".mcp.json", ".cursor", ".cursorrules", ".claude", ".codex", ".gemini", ".windsurf", ".husky"],
  ...[".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".kshrc", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".gitconfig"],
  ...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", ".gdbinit", ".lldbinit"],
];

const PROTECTED_NAMES: ReadonlySet<string> = new Set([".git", ".gitmodules", ...TOOL_PLACES]);

/** Does a path below a workspace go through a name that is protected in some of its directories? */
export function isNamedProtected(below: string): boolean {
  return below.split("/").some((name) => PROTECTED_NAMES.has(name.toLowerCase()));
}

/** All protected places of a workspace, as far as they are known. */
export interface ProtectedSet {
  /** Existing or not. */
  readonly places: readonly ProtectedPlace[];
  /** Git directories: they must stay where they are. */
  readonly gitDirs: readonly string[];
  /** Repositories by their `.git`, so that a later search can tell new ones. */
  readonly repos: readonly FoundRepo[];
}

/** What a search for protected places starts from. */
export interface ProtectedInput {
  /** Writable directories that are workspaces. */
  readonly roots: readonly string[];
  readonly read: ReadText;
  /** The user's own git configs, which may name a hooks directory relative to the worktree. */
  readonly userConfigs?: readonly string[];
  /** Milliseconds that the search for repositories may take. */
  readonly budgetMs: number;
}

/** Finds the protected places below the roots. */
export async function protectedIn(input: ProtectedInput): Promise<ProtectedSet> {
  const repos = findRepos(input.roots, input.budgetMs);
  const worktrees = new Set([...input.roots, ...repos.map(({ worktree }) => worktree)]);
  const gitDirs: string[] = [];
  const places: ProtectedPlace[] = [...worktrees].flatMap(toolPlaces);
  for (const repo of repos) {
    const own = await placesOfRepo(repo, input);
    gitDirs.push(...own.gitDirs);
    places.push(...own.places);
  }
  return { places: withoutDoubles(places), gitDirs: [...new Set(gitDirs)], repos };
}

/** The protected places of editors and shells in one directory. */
function toolPlaces(directory: string): ProtectedPlace[] {
  return [
    ...TOOL_PLACES.map((name): ProtectedPlace => ({ path: `${directory}/${name}`, as: "tree" })),
    { path: `${directory}/.gitmodules`, as: "modules" },
  ];
}

/** The protected places of one repository's git directories, and those in the workspace that its config names. */
export async function placesOfRepo(
  { worktree, dotGit }: FoundRepo,
  input: Pick<ProtectedInput, "roots" | "read" | "userConfigs">,
): Promise<{ gitDirs: string[]; places: ProtectedPlace[] }> {
  const found = await gitDirsOf(dotGit, input.read);
  const gitDirs = [...found, ...found.flatMap((dir) => moduleDirs(dir))];
  const configs = [
    ...gitDirs.flatMap((dir) => [`${dir}/config`, `${dir}/config.worktree`]),
    ...input.userConfigs ?? [],
  ];
  const named = await Promise.all(configs.map((config) => namedBy(config, worktree, input, 0)));
  const dot: ProtectedPlace = { path: dotGit, as: kindOf(dotGit) === "file" ? "pointer" : "repository" };
  return {
    gitDirs,
    places: [
      ...(dotGit === worktree ? [] : [dot]),
      ...found.flatMap((dir) => placesOfGitDir(dir)),
      ...named.flat().filter(({ path }) => input.roots.some((root) => path !== root && isWithin(path, root))),
    ],
  };
}

/** Includes in includes are followed so deep. */
const MAX_INCLUDES = 5;

/** What a config names that lies beside it or in the worktree: includes, the hooks' directory, programs. */
async function namedBy(
  config: string,
  worktree: string,
  input: Pick<ProtectedInput, "read">,
  depth: number,
): Promise<ProtectedPlace[]> {
  if (depth > MAX_INCLUDES || kindOf(config) !== "file") return [];
  const settings = parseGitConfig(await input.read(config) ?? "") ?? [];
  const beside = config.slice(0, config.lastIndexOf("/"));
  const places: ProtectedPlace[] = [];
  for (const { key, value } of settings) {
    if (value === undefined) continue;
    if (/^include(if\..*)?\.path$/.test(key)) {
      const path = below(beside, value);
      places.push({ path, as: "config" }, ...await namedBy(path, worktree, input, depth + 1));
    } else if (key === "core.hookspath" || key === "core.attributesfile") {
      places.push({ path: below(worktree, value), as: "tree" });
    } else if (PROGRAM_KEY.test(key)) {
      const words = value.split(/[\s"']+/).filter((word) => word.includes("/") && !word.includes("://"));
      places.push(
        ...words.map((word): ProtectedPlace => ({
          path: below(worktree, word.replace(/^!/, "")),
          as: "file",
        }))
          .filter(({ path }) => kindOf(path) === "file"),
      );
    }
  }
  return places;
}

/** Settings whose value is a command. */
const PROGRAM_KEY =
  /^(filter\..+\.(clean|smudge|process)|diff\..+\.(command|textconv)|diff\.external|merge\..+\.driver|core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|alias\..+|credential\..*helper|gpg\..*program|sequence\.editor|pager\..+)$/;

function below(directory: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${directory}/${path.replace(/^(\.\/)+/, "")}`;
  return new URL(`file://${whole.split("/").map(encodeURIComponent).join("/")}`).pathname.split("/")
    .map(decodeURIComponent).join("/").replace(/(?<=.)\/+$/, "");
}

function withoutDoubles(places: readonly ProtectedPlace[]): ProtectedPlace[] {
  return [...new Map(places.map((place) => [place.path, place])).values()];
}

/** What bubblewrap mounts: existing places that it can make read-only, and git directories as mount points. */
export interface ProtectedMounts {
  readonly pinned: readonly string[];
  readonly readOnly: readonly string[];
}

/**
 * Mounts for a set. Symlinks and special files are left to the check after each command, and so is what does not
 * exist; so are files that ordinary git rewrites (`.gitmodules`, pointers of worktrees that come and go).
 */
export function mountsOf(
  set: Pick<ProtectedSet, "places" | "gitDirs">,
  roots: readonly string[],
): ProtectedMounts {
  const inside = (path: string) => roots.some((root) => path !== root && isWithin(path, root));
  const glance = new Glance();
  const plain = (path: string) => glance.has(path) && ["file", "directory"].includes(kindOf(path) ?? "");
  const real = (path: string) => {
    try {
      return Deno.realPathSync(path) === path;
    } catch {
      return false;
    }
  };
  // Worktrees and submodules come and go: their pointers are looked at after each command instead.
  const isFixed = ({ path, as }: ProtectedPlace) =>
    as === "tree" || as === "file" || as === "config" && !path.includes("/worktrees/") ||
    as === "pointer" && roots.some((root) => isWithin(root, path.slice(0, path.lastIndexOf("/"))));
  const pinned = set.gitDirs.filter((dir) => inside(dir) && real(dir) && !dir.includes("/worktrees/"));
  const readOnly = set.places.filter((place) =>
    isFixed(place) && inside(place.path) && plain(place.path) && real(place.path)
  ).map(({ path }) => path);
  return { pinned: outermost(pinned), readOnly: outermost(readOnly) };
}

/** Mounts of each kind at most; what is beyond is compared before and after each command. */
const MAX_MOUNTS = 300;

function outermost(paths: readonly string[]): string[] {
  return paths.toSorted((a, b) => a.length - b.length).slice(0, MAX_MOUNTS);
}

/** Tells two states of mounts apart: another one wants another executor. */
export function fingerprintOf(mounts: ProtectedMounts, roots: readonly string[]): string {
  const stamps = (paths: readonly string[]) => paths.map((path) => [path, stampOf(path)]);
  return JSON.stringify([roots, mounts.pinned, mounts.readOnly].map(stamps));
}
