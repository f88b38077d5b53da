import type { CommandExit, CommandResult, StopCause } from "./executor_handle.ts";
import { delay, endLeftovers, GRACE_MS } from "./leftovers.ts";
import { Output, type OutputEnd } from "./output.ts";
import { type Orphan, type Processes, SIGKILL, SIGTERM } from "./processes.ts";

/** Bytes of the longest command that goes on the command line; Linux takes 128 KiB for one argument. */
export const ARGUMENT_LIMIT = 100 * 1024;
/** Bytes of output after which a command is ended. */
export const OUTPUT_LIMIT = 1024 * 1024 * 1024;
/** Milliseconds that the pipe may stay open after bash has ended, and that a look at a quiet pipe takes. */
const DRAIN_MS = 50;
/** Bytes that a pipe holds at most, as Linux lets an ordinary user set it. */
const PIPE_LIMIT = 1024 * 1024;
const SIGXFSZ = 25;
/** Bytes of the longest command: Linux takes 2 MiB for all arguments and the environment. */
const COMMAND_LIMIT = 1536 * 1024;
/** Joins the pieces of a long command and runs it, with nothing of this left to be seen. */
const REJOIN = `IFS=; DSH_TEXT="$*"; IFS=$' \\t\\n'; set --; eval "unset DSH_TEXT
$DSH_TEXT"`;
/** stdout and stderr as one pipe: they keep the order in which they were written. */
const ONE_PIPE = "exec 2>&1\n";

/** What a command needs of its executor. */
export interface CommandHost {
  readonly bash: string;
  readonly setsid: string | undefined;
  readonly tempDir: string;
  readonly processes: Processes;
  /** Told in the same turn in which the process was made, so that no sweep takes it for an orphan. */
  started(command: RunningCommand): void;
  /** Told when a command used too much: whatever of it can be found otherwise goes at once too. */
  readonly overrun?: () => void;
  /** Streams output to the agent; resolves when it was written. */
  emit(text: string): Promise<void>;
  /** Orphans that are this command's: of its session or with its marker, or all when nothing else runs. */
  orphansOf(command: RunningCommand): readonly Orphan[];
}

/** One command as it was asked for, with the environment it gets. */
export interface CommandStart {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly liveLimit?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
}

/**
 * A command that runs: `running` → (`stopping` →) `draining` → `ended`. Its first cause to stop wins. It ends
 * when bash has ended, its pipe is read to the end, and none of its processes is left.
 */
export class RunningCommand {
  readonly pid: number;
  readonly marker: string;
  /** Never rejects. */
  readonly result: Promise<CommandResult>;

  readonly #host: CommandHost;
  readonly #child: Deno.ChildProcess;
  readonly #output: Output;
  readonly #started = performance.now();
  #phase: "running" | "stopping" | "draining" | "ended" = "running";
  #cause: StopCause | undefined;
  #killAt = Infinity;
  /** Since when the pipe has been quiet; undefined while output is on its way to the agent. */
  #quietSince: number | undefined;

  private constructor(host: CommandHost, start: CommandStart, child: Deno.ChildProcess) {
    this.#host = host;
    this.#child = child;
    this.pid = child.pid;
    this.marker = start.marker;
    const spill = `${host.tempDir}/output-${crypto.randomUUID().slice(0, 8)}.log`;
    this.#output = new Output(host.emit, spill, start.liveLimit);
    host.started(this);
    const timer = setTimeout(() => this.stop("timeout"), start.timeoutMs);
    this.result = this.#run().finally(() => clearTimeout(timer));
  }

  /** Starts a command. Throws when bash cannot be started there. */
  static start(host: CommandHost, start: CommandStart): RunningCommand {
    const bash = [host.bash, ...bashArguments(host.bash, ONE_PIPE + start.command)];
    const argv = host.setsid === undefined ? bash : [host.setsid, ...bash];
    const child = new Deno.Command(argv[0]!, {
      args: argv.slice(1),
      cwd: start.cwd,
      clearEnv: true,
      env: { ...start.env },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      // setsid(1) costs an exec; Deno's own way costs a fork of the whole executor.
      detached: host.setsid === undefined,
    }).spawn();
    return new RunningCommand(host, start, child);
  }

  /**
   * TERM to the whole group, KILL after `graceMs` (at once when that is 0). Does nothing once the command stops or
   * has ended.
   */
  stop(cause: StopCause, graceMs: number = GRACE_MS): void {
    if (this.#phase !== "running") return;
    this.#phase = "stopping";
    this.#cause = cause;
    this.#killAt = performance.now() + graceMs;
    this.#signal(graceMs === 0 ? SIGKILL : SIGTERM);
    if (graceMs > 0) setTimeout(() => this.#phase === "stopping" && this.#signal(SIGKILL), graceMs);
    else this.#host.overrun?.();
  }

  /** KILL at once; for the end of the executor. */
  kill(): void {
    if (this.#phase === "running" || this.#phase === "stopping") this.#signal(SIGKILL);
  }

  #signal(signal: number): void {
    // Right after the start the process has not yet made its group.
    if (!this.#host.processes.signalGroup(this.pid, signal)) this.#host.processes.signal(this.pid, signal);
  }

  async #run(): Promise<CommandResult> {
    const reader = this.#child.stdout.getReader();
    const pumped = this.#pump(reader);
    const status = await this.#child.status;
    this.#phase = "draining";
    await Promise.race([pumped, delay(DRAIN_MS)]);
    const find = () => this.#host.orphansOf(this);
    const grace = Math.max(0, Math.min(GRACE_MS, this.#killAt - performance.now()));
    const strays = await endLeftovers(this.#host.processes, find, grace);
    await this.#drained(pumped, reader);
    const end = await this.#output.finish().catch(() => this.#unsent());
    this.#phase = "ended";
    const exit = exitOf(status);
    return {
      exit,
      stopped: this.#cause ?? (isFileTooLarge(exit) ? "disk-limit" : undefined),
      ...end,
      strays,
      durationMs: Math.round(performance.now() - this.#started),
    };
  }

  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        this.#quietSince = performance.now();
        const { value, done } = await reader.read();
        this.#quietSince = undefined;
        if (done) return;
        await this.#output.push(value);
        if (this.#output.totalBytes > OUTPUT_LIMIT) this.stop("output-limit");
      }
    } catch { /* the pipe was given up, or the agent is gone */ }
  }

  /**
   * Waits for the pump. Something that could not be told to be ours may still hold the pipe: it is given up when
   * it is quiet, and when more comes than a pipe can hold.
   */
  async #drained(pumped: Promise<void>, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const pump = { done: false };
    const ended = pumped.then(() => void (pump.done = true));
    const limit = this.#output.totalBytes + PIPE_LIMIT;
    for (;;) {
      await Promise.race([ended, delay(DRAIN_MS)]);
      if (pump.done) return;
      const quiet = this.#quietSince !== undefined && performance.now() - this.#quietSince >= DRAIN_MS;
      if (quiet || this.#output.totalBytes > limit) {
        await reader.cancel().catch(() => {});
        return await ended;
      }
    }
  }

  #unsent(): OutputEnd {
    return { totalBytes: this.#output.totalBytes, omittedBytes: 0, tail: "", spillPath: undefined };
  }
}

/**
 * The arguments that make bash run a text. A long one goes in pieces, each below the kernel's limit for one
 * argument: a file could be changed by whoever shares the temporary directory, before bash has read it.
 */
function bashArguments(bash: string, text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= ARGUMENT_LIMIT) return ["-c", text];
  if (bytes.length > COMMAND_LIMIT) {
    throw new RangeError(`the command has more than ${COMMAND_LIMIT} bytes; put it into a file`);
  }
  const pieces: string[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < bytes.length; at += ARGUMENT_LIMIT) {
    const piece = bytes.subarray(at, at + ARGUMENT_LIMIT);
    pieces.push(decoder.decode(piece, { stream: at + ARGUMENT_LIMIT < bytes.length }));
  }
  return ["-c", REJOIN, bash, ...pieces];
}

/** The kernel ended it, or bash tells that it ended one of its children, for a file beyond the limit. */
function isFileTooLarge(exit: CommandExit): boolean {
  return "code" in exit ? exit.code === 128 + SIGXFSZ : exit.signal === "SIGXFSZ";
}

function exitOf(status: Deno.CommandStatus): CommandExit {
  return status.signal === null ? { code: status.code } : { signal: status.signal };
}
