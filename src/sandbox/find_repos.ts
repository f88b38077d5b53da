import { trimSlash } from "./paths.ts";

/** A repository by the directory that git finds it from. */
export interface FoundRepo {
  readonly worktree: string;
  /** `.git` in it (a directory, a file or a symlink), or the directory itself when it looks like a bare one. */
  readonly dotGit: string;
}

/** Where a search stands: it can be taken up again. */
export interface Search {
  readonly queue: string[];
  /** Directories that hold much and seldom repositories: they come last. */
  readonly later: string[];
  seen: number;
}

/** Directories that are looked into at most. */
const MAX_DIRECTORIES = 50_000;
const LATER = new Set(["node_modules", "target", ".venv", "venv", "vendor", "dist", "build", ".cache"]);

/** Begins a search below `roots`. */
export function searchBelow(roots: readonly string[]): Search {
  return { queue: [...roots], later: [], seen: 0 };
}

/**
 * Goes on with a search for at most `budgetMs` milliseconds; what was found comes back. Neither follows symlinks
 * nor looks into git directories. The search is over when its queues are empty.
 */
export function findRepos(search: Search, budgetMs: number): FoundRepo[] {
  const found: FoundRepo[] = [];
  const until = performance.now() + budgetMs;
  for (let n = 0; n % 16 !== 15 || performance.now() < until; n++) {
    const directory = search.queue.shift() ?? search.later.shift();
    if (directory === undefined || ++search.seen > MAX_DIRECTORIES) {
      search.queue.length = search.later.length = 0;
      break;
    }
    found.push(...lookInto(directory, search));
  }
  return found;
}

/** True when a search is over. */
export function isOver(search: Search): boolean {
  return search.queue.length + search.later.length === 0;
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
