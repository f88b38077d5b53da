import type { ConfinementReport } from "../sandbox/report.ts";
import {
  type CommandRequest,
  type CommandResult,
  type Executor,
  type FileContent,
  FileError,
  type FileStat,
  type Listing,
  type ResolvedPath,
} from "./executor_handle.ts";
import type { Guard } from "./guard.ts";
import type { SearchRequest, SearchResult } from "./search/search.ts";

const PROTECTED = "is protected, since git, an editor or a shell would obey it";

/** What {@linkcode GuardedExecutor} is made of. */
export interface GuardedParts {
  readonly inner: Executor;
  readonly guard: Guard;
  /** Starts another executor of the same kind: to mend what one left behind that a command had killed. */
  readonly another: () => Promise<Executor>;
  /** Does what it was started with still fit the files? */
  readonly outdated: () => boolean;
}

/** An executor whose protected places are looked after; see {@linkcode Guard}. */
export class GuardedExecutor implements Executor {
  readonly #parts: GuardedParts;
  #running = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: GuardedParts) {
    this.#parts = parts;
  }

  get report(): ConfinementReport {
    return this.#parts.inner.report;
  }

  get closed(): boolean {
    return this.#parts.inner.closed;
  }

  outdated(): boolean {
    return this.#parts.outdated();
  }

  async run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    const { value, restored } = await this.#guarded(() => this.#parts.inner.run(request, onOutput, signal));
    return restored.length === 0 ? value : { ...value, restored };
  }

  readFile(path: string, maxBytes: number): Promise<FileContent> {
    return this.#parts.inner.readFile(path, maxBytes);
  }

  readRange(path: string, from: number, maxBytes: number): Promise<FileContent> {
    return this.#parts.inner.readRange(path, from, maxBytes);
  }

  async writeFile(path: string, bytes: Uint8Array, ifVersion?: string): Promise<{ version: string }> {
    const { value, restored } = await this.#guarded(() =>
      this.#parts.inner.writeFile(path, bytes, ifVersion)
    );
    if (restored.length === 0) return value;
    throw new FileError("denied", `${path} ${PROTECTED}`);
  }

  async remove(path: string, ifVersion?: string): Promise<void> {
    const { restored } = await this.#guarded(() => this.#parts.inner.remove(path, ifVersion));
    if (restored.length > 0) throw new FileError("denied", `${path} ${PROTECTED}`);
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const resolved = await this.#parts.inner.resolve(path);
    return this.#parts.guard.protects(resolved.path) ? { ...resolved, writable: false } : resolved;
  }

  async watched<T>(work: () => Promise<T>): Promise<T> {
    const { value, restored } = await this.#guarded(work);
    if (restored.length === 0) return value;
    throw new FileError("denied", `what was written ${PROTECTED}`);
  }

  stat(path: string): Promise<FileStat> {
    return this.#parts.inner.stat(path);
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    return this.#parts.inner.search(request, signal);
  }

  list(path: string): Promise<Listing> {
    return this.#parts.inner.list(path);
  }

  close(): Promise<void> {
    return this.#parts.inner.close();
  }

  /** Does `work` between two looks. While something else runs, the good state stays that of before it. */
  async #guarded<T>(work: () => Promise<T>): Promise<{ value: T; restored: string[] }> {
    const { guard, inner } = this.#parts;
    if (this.#running++ === 0) await this.#inTurn(() => guard.trust(inner));
    else await this.#turn;
    try {
      const value = await work();
      return { value, restored: await this.#inTurn(() => this.#mend()) };
    } finally {
      this.#running--;
    }
  }

  async #mend(): Promise<string[]> {
    const { guard, inner, another } = this.#parts;
    if (!inner.closed) return await guard.mend(inner);
    const fresh = await another().catch(() => undefined);
    if (fresh === undefined) return ["the executor died, and protected places could not be looked at"];
    try {
      return await guard.mend(fresh);
    } finally {
      await fresh.close();
    }
  }

  /** One look at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
