import { findRepos, type FoundRepo } from "../sandbox/find_repos.ts";
import { auditGitConfig } from "../sandbox/git_audit.ts";
import { placesOfGitDir, pointedTo, type ProtectedPlace } from "../sandbox/git_places.ts";
import { changedAt, kindOf, namesIn } from "../sandbox/look.ts";
import { isWithin } from "../sandbox/paths.ts";
import { placesOfRepo, type ProtectedMounts, type ProtectedSet } from "../sandbox/protected.ts";
import type { Executor } from "./executor_handle.ts";
import { Mender } from "./mender.ts";
import { type Difference, differences, isInert, type Snapshot, snapshotOf } from "./tripwire.ts";

/** Milliseconds that the search for new repositories may take after a command. */
const SEARCH_MS = 15;
/** Bytes of the largest protected file that can be put back. */
const MAX_KEPT_BYTES = 256 * 1024;
/** Bytes of all protected files that are kept. */
const MAX_KEPT_SUM = 8 * 1024 * 1024;

/** What a guard watches. */
export interface GuardOptions {
  readonly roots: readonly string[];
  readonly userConfigs: readonly string[];
  readonly set: ProtectedSet;
  /** What the kernel keeps already; undefined without bubblewrap. */
  readonly mounts: ProtectedMounts | undefined;
  readonly tempDir: string;
}

interface Kept {
  readonly stamp: string;
  readonly bytes: Uint8Array;
}

/**
 * Looks after the protected places that no mount keeps: compares them before and after each command, takes out
 * what was planted and puts back what was changed. It only looks by itself; files are read, moved and written by
 * an executor, under the same confinement as the command, so that a path that is swapped under its hands leads
 * nowhere else.
 */
export class Guard {
  readonly #options: GuardOptions;
  /** In whole seconds, as the time of an inode's change is told. */
  readonly #since = Math.floor(Date.now() / 1000) * 1000;
  readonly #repos: Map<string, FoundRepo>;
  readonly #gitDirs: Set<string>;
  readonly #places: Map<string, ProtectedPlace>;
  readonly #kept = new Map<string, Kept>();
  #before: Snapshot = new Map();
  /** The places that no mount keeps; undefined when places came since. */
  #watched: ProtectedPlace[] | undefined;

  constructor(options: GuardOptions) {
    const { set } = options;
    this.#options = options;
    this.#repos = new Map(set.repos.map((repo) => [repo.dotGit, repo]));
    this.#gitDirs = new Set(set.gitDirs);
    this.#places = new Map(set.places.map((place) => [place.path, place]));
  }

  /** All places that are known by now. */
  known(): Pick<ProtectedSet, "places" | "gitDirs"> {
    return { places: [...this.#places.values()], gitDirs: [...this.#gitDirs] };
  }

  /** Is `real`, a path without symlinks, a known protected place, in one, or in a git directory? */
  protects(real: string): boolean {
    return [...this.#places.keys(), ...this.#gitDirs].some((place) => isWithin(real, place));
  }

  /** Takes the present state for the good one. To be called while no command runs. */
  async trust(executor: Executor): Promise<void> {
    this.#before = this.#look();
    let sum = 0;
    for (const [path, { stamp }] of this.#before) {
      const kept = this.#kept.get(path);
      if (kept?.stamp !== stamp) {
        this.#kept.delete(path);
        if (!stamp.startsWith("file ") || sum > MAX_KEPT_SUM) continue;
        const content = await executor.readFile(path, MAX_KEPT_BYTES + 1).catch(() => undefined);
        if (content !== undefined && content.bytes.length <= MAX_KEPT_BYTES) {
          this.#kept.set(path, { stamp, bytes: content.bytes });
        }
      }
      sum += this.#kept.get(path)?.bytes.length ?? 0;
    }
  }

  /** Mends what differs from the good state; one line for people about each thing. Never rejects. */
  async mend(executor: Executor): Promise<string[]> {
    const mender = new Mender(executor, this.#options.tempDir);
    const lines: string[] = [];
    const first = differences(this.#before, this.#look());
    // First of all: what is found elsewhere may be a repository that was only moved.
    for (const each of first) {
      if (each.as === "repository") lines.push(...await this.#mendRepository(each, mender));
    }
    const grew = await this.#findNew(executor);
    if (first.length === 0 && !grew) return lines;
    const found = differences(this.#before, this.#look()).filter(({ as }) => as !== "repository");
    for (const each of found) lines.push(...await this.#mendOne(each, mender, executor));
    this.#before = this.#look();
    return lines;
  }

  #look(): Snapshot {
    return snapshotOf(this.#watched ??= this.#notCovered());
  }

  #notCovered(): ProtectedPlace[] {
    const { pinned, readOnly } = this.#options.mounts ?? { pinned: [], readOnly: [] };
    const covered = ({ path, as }: ProtectedPlace) =>
      as === "repository" ? pinned.includes(path) : readOnly.some((kept) => isWithin(path, kept));
    return [...this.#places.values()].filter((place) => !covered(place));
  }

  /** Repositories, worktrees and submodules that came since: were there any? What is older is the user's own. */
  async #findNew(executor: Executor): Promise<boolean> {
    const { roots, userConfigs } = this.#options;
    const read = reader(executor);
    const fresh = findRepos(roots, SEARCH_MS).filter(({ dotGit }) => !this.#repos.has(dotGit));
    for (const repo of fresh) {
      this.#repos.set(repo.dotGit, repo);
      const { gitDirs, places } = await placesOfRepo(repo, { roots, read, userConfigs });
      gitDirs.forEach((dir) => this.#gitDirs.add(dir));
      this.#watch(places);
    }
    const known = this.#places.size;
    for (const dir of this.#gitDirs) this.#watch(placesOfGitDir(dir));
    return fresh.length > 0 || this.#places.size > known;
  }

  #watch(places: readonly ProtectedPlace[]): void {
    const fresh = places.filter(({ path }) => !this.#places.has(path));
    if (fresh.length === 0) return;
    for (const place of fresh) this.#places.set(place.path, place);
    this.#watched = undefined;
    const own = fresh.filter(({ path }) => changedAt(path) < this.#since);
    this.#before = new Map([...this.#before, ...snapshotOf(own)]);
  }

  async #mendOne(each: Difference, mender: Mender, executor: Executor): Promise<string[]> {
    const { path, as, how } = each;
    if (how === "added" && isInert(path)) return [];
    if (as === "config" || as === "modules") return await this.#mendConfig(each, mender, executor);
    if (as === "pointer" && how !== "removed" && await this.#isGoodPointer(path, executor)) return [];
    if (how === "added" && kindOf(path) === "directory") {
      const guilty = path.endsWith("/hooks") ? namesIn(path).map((name) => `${path}/${name}`) : [path];
      const lines = guilty.filter((at) => !isInert(at)).map((at) => mender.moveAway(at));
      return await Promise.all(lines);
    }
    if (how === "added") return [await mender.moveAway(path)];
    if (as === "pointer" && how === "removed") return []; // a worktree that was taken away
    return [await mender.putBack(path, this.#kept.get(path)?.bytes, how)];
  }

  async #mendConfig(each: Difference, mender: Mender, executor: Executor): Promise<string[]> {
    const { path, how } = each;
    const kept = this.#kept.get(path)?.bytes;
    if (how === "removed") return each.as === "modules" ? [] : [await mender.putBack(path, kept, how)];
    if (kindOf(path) !== "file") return [await mender.moveAway(path), await mender.putBack(path, kept, how)];
    const text = await reader(executor)(path);
    if (text === undefined) return [await mender.putBack(path, kept, how)];
    const before = kept === undefined ? "" : new TextDecoder().decode(kept);
    const audit = auditGitConfig(text, { isOwnWorktree: (value) => this.#isInside(path, value) }, before);
    if (audit.doors.length === 0) return [];
    return [await mender.rewrite(path, audit.text, audit.doors)];
  }

  /** `.git` itself was taken away or swapped: the old one is looked for beside it. */
  async #mendRepository({ path, how }: Difference, mender: Mender): Promise<string[]> {
    if (how === "added") return [];
    const inode = this.#before.get(path)?.stamp;
    const parent = path.slice(0, path.lastIndexOf("/"));
    const moved = namesIn(parent).map((name) => `${parent}/${name}`)
      .find((at) => at !== path && snapshotOf([{ path: at, as: "repository" }]).get(at)?.stamp === inode);
    if (moved === undefined) {
      return [`${path} was ${how === "removed" ? "removed" : "replaced"}, and cannot be put back`];
    }
    const lines = how === "changed" ? [await mender.moveAway(path)] : [];
    return [...lines, await mender.moveBack(moved, path)];
  }

  /** A pointer may lead to a git directory of the workspace, and a linked worktree's one to the one above it. */
  async #isGoodPointer(path: string, executor: Executor): Promise<boolean> {
    const target = await pointedTo(path, reader(executor));
    if (target === undefined) return false;
    if (path.endsWith("/commondir")) return path.startsWith(`${target}/worktrees/`);
    return this.#options.roots.some((root) => target !== root && isWithin(target, root));
  }

  #isInside(config: string, worktree: string): boolean {
    const directory = config.slice(0, config.lastIndexOf("/"));
    try {
      const real = Deno.realPathSync(worktree.startsWith("/") ? worktree : `${directory}/${worktree}`);
      return this.#options.roots.some((root) => isWithin(real, root));
    } catch {
      return false;
    }
  }
}

/** Reads small files through an executor: it never waits for a FIFO, and sees only what the command may see. */
function reader(executor: Executor): (path: string) => Promise<string | undefined> {
  return async (path) => {
    const content = await executor.readFile(path, MAX_KEPT_BYTES).catch(() => undefined);
    return content === undefined ? undefined : new TextDecoder().decode(content.bytes);
  };
}
