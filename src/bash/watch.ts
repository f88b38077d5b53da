import type { Libc } from "../sandbox/libc.ts";
import type { Limits } from "../sandbox/limits.ts";
import { childrenOf, freeBytes, machineMemory, usageOf } from "../sandbox/usage.ts";
import type { RunningCommand } from "./command.ts";
import type { StopCause } from "./executor_handle.ts";

/** Milliseconds between two looks while something runs. */
const INTERVAL_MS = 100;
/** Free bytes of a disk below which a command that wrote much is ended. */
const LAST_FREE_BYTES = 256 * 1024 * 1024;
/** What is much, in bytes. */
const MUCH_BYTES = 64 * 1024 * 1024;
/** Part of the machine's memory that commands may use at most, and that they must leave. */
const MOST_MEMORY = 0.75;
const LEAST_FREE_MEMORY = 0.04;

/** What a watch looks at. */
export interface WatchOptions {
  readonly libc: Libc;
  readonly limits: Limits;
  /** This process: commands are its children, and so are their orphans. */
  readonly self: number;
  /** Places whose disks are looked at. */
  readonly disks: readonly string[];
  readonly running: () => Iterable<RunningCommand>;
}

/**
 * Ends commands that use too much: the one with the most processes, or memory; for a full disk the newest. It is
 * what holds for root too, whom the kernel's own limit on processes does not bind.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #memoryBytes: number;
  #free: readonly (number | undefined)[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    const total = machineMemory(options.libc)?.total ?? Infinity;
    this.#memoryBytes = Math.min(options.limits.memoryBytes, total * MOST_MEMORY);
  }

  /** To be called when a command starts; the watch ends by itself when none runs any more. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#free = this.#freeNow();
    this.#timer = setInterval(() => this.#tick(), INTERVAL_MS);
  }

  #tick(): void {
    const running = [...this.#options.running()];
    if (running.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const cause = this.#fault();
    if (cause !== undefined) this.#guilty(running, cause).stop(cause, 0);
  }

  #fault(): StopCause | undefined {
    const { libc, limits, self } = this.#options;
    const children = childrenOf(libc, self);
    let [processes, memoryBytes] = [0, 0];
    for (const child of children.slice(0, limits.processes + 1)) {
      const usage = usageOf(libc, child, limits.processes - processes);
      processes += usage.processes;
      memoryBytes += usage.memoryBytes;
      if (processes > limits.processes) return "process-limit";
    }
    if (memoryBytes > this.#memoryBytes) return "memory-limit";
    const machine = machineMemory(libc);
    const scarce = machine !== undefined && machine.available < machine.total * LEAST_FREE_MEMORY;
    if (scarce && memoryBytes > machine.total / 4) return "memory-limit";
    const isFull = this.#freeNow().some((free, i) => {
      const used = (this.#free[i] ?? 0) - (free ?? 0);
      return free !== undefined && (used > limits.diskBytes || used > MUCH_BYTES && free < LAST_FREE_BYTES);
    });
    return isFull ? "disk-limit" : undefined;
  }

  #guilty(running: readonly RunningCommand[], cause: StopCause): RunningCommand {
    const newest = running.at(-1)!;
    if (running.length === 1 || cause === "disk-limit") return newest;
    const { libc, limits } = this.#options;
    const measure = (command: RunningCommand) => {
      const usage = usageOf(libc, command.pid, limits.processes);
      return cause === "process-limit" ? usage.processes : usage.memoryBytes;
    };
    const measured = running.map((command) => ({ command, use: measure(command) }));
    return measured.reduce((most, each) => each.use > most.use ? each : most).command;
  }

  #freeNow(): (number | undefined)[] {
    return this.#options.disks.map((place) => freeBytes(this.#options.libc, place));
  }
}
