import { AgentError } from "../errors.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Executor } from "./executor_handle.ts";
import type { ExecutorOptions } from "./executor_options.ts";
import { startExecutor } from "./host.ts";

/** Milliseconds after its last request at which an executor is stopped. */
const IDLE_MS = 10 * 60 * 1000;

/** Options of {@linkcode ExecutorPool}. */
export interface PoolOptions extends Omit<ExecutorOptions, "policy"> {
  /** Milliseconds after its last request at which an executor is stopped. */
  readonly idleMs?: number;
  /** How an executor is started; `startExecutor` by default. */
  readonly start?: (options: ExecutorOptions) => Promise<Executor>;
}

/**
 * The executors of one session: one for each policy that is in use, started on first use, started anew after a
 * death, stopped when idle and never while something runs.
 */
export class ExecutorPool {
  readonly #options: PoolOptions;
  readonly #members = new Map<string, Member>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The executor for a policy. Rejects with `AgentError("sandbox")` when it cannot be started. */
  async get(policy: Policy): Promise<Executor> {
    if (this.#closed) throw new AgentError("sandbox", "the session is closed");
    const key = JSON.stringify(policy);
    const known = this.#members.get(key);
    if (known !== undefined && !known.closed) {
      if (!known.outdated) return await known.executor();
      await known.close();
      if (this.#closed) throw new AgentError("sandbox", "the session is closed");
    }
    const member = new Member(this.#options, policy, () => {
      if (this.#members.get(key) === member) this.#members.delete(key);
    });
    this.#members.set(key, member);
    return await member.executor();
  }

  /** Ends all executors, those that are starting included. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#members.values()].map((member) => member.close()));
  }
}

/** One executor and the count of what runs in it. */
class Member {
  readonly #starting: Promise<Executor>;
  readonly #idleMs: number;
  readonly #leave: () => void;
  #inner: Executor | undefined;
  #left = false;
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PoolOptions, policy: Policy, leave: () => void) {
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#leave = leave;
    this.#starting = (options.start ?? startExecutor)({ ...options, policy });
    this.#starting.then((executor) => this.#inner = executor, () => this.#goes());
  }

  /** True when it is of no more use: it failed to start, died, or is being stopped. */
  get closed(): boolean {
    return this.#left || this.#inner?.closed === true;
  }

  /** True when nothing runs in it and another one would fit the files better. */
  get outdated(): boolean {
    return this.#running === 0 && this.#inner?.outdated?.() === true;
  }

  async executor(): Promise<Executor> {
    const inner = await this.#starting;
    this.#rest();
    return this.#counting(inner);
  }

  #counting(inner: Executor): Executor {
    const counted = <T>(work: () => Promise<T>) => this.#counted(work);
    return {
      report: inner.report,
      get closed() {
        return inner.closed;
      },
      run: (request, onOutput, signal) => counted(() => inner.run(request, onOutput, signal)),
      readFile: (path, maxBytes) => counted(() => inner.readFile(path, maxBytes)),
      readRange: (path, from, maxBytes) => counted(() => inner.readRange(path, from, maxBytes)),
      writeFile: (path, bytes, ifVersion) => counted(() => inner.writeFile(path, bytes, ifVersion)),
      remove: (path, ifVersion) => counted(() => inner.remove(path, ifVersion)),
      stat: (path) => counted(() => inner.stat(path)),
      search: (request, signal) => counted(() => inner.search(request, signal)),
      list: (path) => counted(() => inner.list(path)),
      resolve: (path) => counted(() => inner.resolve(path)),
      watched: (work) => counted(() => inner.watched?.(work) ?? work()),
      beyond: async (command, cwd) => {
        const found = await inner.beyond?.(command, cwd);
        return found && { ...found, executor: this.#counting(found.executor) };
      },
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    this.#goes();
    await this.#starting.then((executor) => executor.close(), () => {});
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#rest();
    }
  }

  /** Starts waiting for the idle time to pass, without keeping the agent's process alive for it. */
  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#running > 0 || this.closed) return;
    this.#timer = setTimeout(() => void this.close(), this.#idleMs);
    Deno.unrefTimer(Number(this.#timer));
  }

  #goes(): void {
    clearTimeout(this.#timer);
    this.#left = true;
    this.#leave();
  }
}
