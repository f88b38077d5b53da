import { trimSlash } from "./paths.ts";

/** A repository by the directory that git finds it from. */
export interface FoundRepo {
  readonly worktree: string;
  /** `.git` in it (a directory, a file or a symlink), or the directory itself when it looks like a bare one. */
  readonly dotGit: string;
}

interface Search {
  readonly queue: string[];
  /** Directories that hold much and seldom repositories: they come last. */
  readonly later: string[];
}

/** Repositories of a workspace that are looked after; the outer ones are found first. */
const MAX_REPOS = 200;
/** Directories that are looked into at most. */
const MAX_DIRECTORIES = 50_000;
const LATER = new Set(["node_modules", "target", ".venv", "venv", "vendor", "dist", "build", ".cache"]);

/**
 * Searches below `roots` for at most `budgetMs` milliseconds, the outer directories first. Neither follows symlinks
 * nor looks into git directories.
 */
export function findRepos(roots: readonly string[], budgetMs: number): FoundRepo[] {
  const search: Search = { queue: [...roots], later: [] };
  const found: FoundRepo[] = [];
  const until = performance.now() + budgetMs;
  for (let seen = 0; seen < MAX_DIRECTORIES && found.length < MAX_REPOS; seen++) {
    const directory = search.queue.shift() ?? search.later.shift();
    if (directory === undefined || seen % 16 === 15 && performance.now() > until) break;
    found.push(...lookInto(directory, search));
  }
  return found;
}

function lookInto(directory: string, search: Search): FoundRepo[] {
  const names = new Set<string>();
  const below: string[] = [];
  try {
    for (const entry of Deno.readDirSync(directory)) {
      names.add(entry.name);
      if (entry.isDirectory && entry.name !== ".git") below.push(entry.name);
    }
  } catch {
    return []; // it is gone, or not for us to see
  }
  const base = trimSlash(directory) === "/" ? "" : directory;
  const bare = ["HEAD", "objects", "refs"].every((name) => names.has(name));
  if (!bare) {
    for (const name of below) (LATER.has(name) ? search.later : search.queue).push(`${base}/${name}`);
  }
  return [
    ...(names.has(".git") ? [{ worktree: directory, dotGit: `${base}/.git` }] : []),
    ...(bare ? [{ worktree: directory, dotGit: directory }] : []),
  ];
}
