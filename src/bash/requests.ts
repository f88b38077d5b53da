import { AgentError } from "../errors.ts";
import type { Log } from "../log.ts";
import { isWithin } from "../sandbox/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Channel } from "./channel.ts";
import {
  type CommandRequest,
  type CommandResult,
  FileError,
  LIVE_LIMIT,
  type StopCause,
  TAIL_LIMIT,
} from "./executor_handle.ts";
import { killRemains } from "./remains.ts";
import { type FromExecutor, type ToExecutor, WireError } from "./wire.ts";

/** Milliseconds beyond a command's own time-out, or its cancelling, after which its executor is given up. */
const OVERTIME_MS = 10_000;
/** Milliseconds that a file operation may take. */
const FILE_MS = 60_000;
/** Characters that a command may stream beyond its limit: the tail, and one more for what is broken at the end. */
const STREAM_EXCESS = TAIL_LIMIT + 4;

/** What an executor's `ready` message says. */
export type Ready = FromExecutor & { ev: "ready" };
type Answer = FromExecutor & {
  ev: "content" | "written" | "removed" | "stat" | "listing" | "resolved" | "found";
};

interface PendingCommand {
  readonly onOutput: (text: string) => void;
  readonly settle: (result: CommandResult | AgentError) => void;
  /** Called when the executor died: what is known then. */
  readonly lost: () => void;
  streamed: number;
  /** Characters that it may stream: a byte makes at most one. */
  readonly streamLimit: number;
}

interface PendingFile {
  readonly wants: Answer["ev"];
  /** When it is given up. */
  readonly timers: ReturnType<typeof setTimeout>[];
  readonly settle: (answer: Answer | Error) => void;
}

/** A file that must not stay behind when the executor dies. */
interface TempFile {
  readonly path: string;
  readonly name: string;
}

/**
 * All that was asked of one executor and not yet answered. Every request settles: by its answer, by the
 * executor's death, or by its being given up for taking far too long.
 */
export class Requests {
  readonly marker: string = crypto.randomUUID();
  /** Resolves when the process and all that it left behind is gone. Never rejects. */
  readonly gone: Promise<void>;

  readonly #policy: Policy;
  readonly #tag: number;
  readonly #log: Log;
  readonly #ready = Promise.withResolvers<Ready>();
  readonly #commands = new Map<number, PendingCommand>();
  readonly #files = new Map<number, PendingFile>();
  readonly #temps = new Map<number, TempFile>();
  readonly #goneNow = Promise.withResolvers<void>();
  #channel: Channel | undefined;
  #lastId = 0;
  #fatal: string | undefined;
  #state: "starting" | "open" | "closing" | "dead" = "starting";

  constructor(policy: Policy, tag: number, log: Log) {
    this.#policy = policy;
    this.#tag = tag;
    this.#log = log;
    this.gone = this.#goneNow.promise;
    this.#ready.promise.catch(() => {}); // it may be rejected before anyone waits
  }

  get closed(): boolean {
    return this.#state === "closing" || this.#state === "dead";
  }

  /** Takes the channel that `take` is fed from. */
  attach(channel: Channel): void {
    this.#channel = channel;
    void channel.ended.then(({ cause, abnormal }) => this.#died(this.#fatal ?? cause, abnormal));
  }

  /** Waits for `ready`. Rejects with `AgentError("sandbox")` when it does not come in `ms`. */
  async ready(ms: number): Promise<Ready> {
    const timer = setTimeout(() => {
      this.#fatal ??= `it did not become ready within ${ms / 1000} s`;
      this.#channel?.kill();
    }, ms);
    try {
      return await this.#ready.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** No request is taken from here on. */
  shut(): void {
    if (this.#state !== "dead") this.#state = "closing";
  }

  run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    if (signal.aborted) return Promise.resolve(lostResult("cancelled", 0, 0));
    if (this.closed) return Promise.reject(this.#closedError());
    if (request.command.includes("\0") || request.cwd.includes("\0")) {
      return Promise.reject(new AgentError("sandbox", "a command cannot hold a NUL character; remove it"));
    }
    const id = ++this.#lastId;
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
    const overdue = () => this.distrust("a command did not end long after it should have");
    const timers = [setTimeout(overdue, request.timeoutMs + OVERTIME_MS)];
    let cause: StopCause | undefined;
    const cancel = () => {
      cause = "cancelled";
      timers.push(setTimeout(overdue, OVERTIME_MS));
      this.cancel(id);
    };
    signal.addEventListener("abort", cancel, { once: true });
    const pending: PendingCommand = {
      onOutput,
      streamed: 0,
      streamLimit: (request.liveLimit ?? LIVE_LIMIT) + STREAM_EXCESS,
      settle: (result) => {
        timers.forEach(clearTimeout);
        signal.removeEventListener("abort", cancel);
        this.#commands.delete(id);
        if (result instanceof AgentError) reject(result);
        else resolve(result);
      },
      lost: () => {
        const took = performance.now() - since;
        const stopped = cause ?? (took >= request.timeoutMs ? "timeout" : undefined);
        pending.settle(lostResult(stopped, pending.streamed, took));
      },
    };
    this.#commands.set(id, pending);
    void this.#channel?.send({ op: "run", id, ...request });
    return promise;
  }

  /** Asks the executor to stop what it does for a request; its answer still comes. */
  cancel(id: number): void {
    void this.#channel?.send({ op: "cancel", id });
  }

  /** The same for a file operation; an executor that is too busy to stop is given up. */
  cancelFile(id: number): void {
    this.cancel(id);
    const overdue = () => this.distrust("a file operation did not end long after it was cancelled");
    this.#files.get(id)?.timers.push(setTimeout(overdue, OVERTIME_MS));
  }

  /** Asks for a file operation; `tempName` is the file that it may leave beside `path` if the executor dies. */
  file<W extends Answer["ev"]>(
    wants: W,
    path: string,
    message: (id: number) => ToExecutor,
    tempName?: string,
  ): Promise<Answer & { ev: W }> {
    if (this.closed) return Promise.reject(this.#closedError());
    if (!path.startsWith("/") || path.includes("\0")) {
      return Promise.reject(new FileError("failed", `${path.replaceAll("\0", "?")} is no absolute path`));
    }
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer & { ev: W }>();
    const timers = [setTimeout(() => this.distrust("a file operation took too long"), FILE_MS)];
    this.#files.set(id, {
      wants,
      timers,
      settle: (answer) => {
        timers.forEach(clearTimeout);
        this.#files.delete(id);
        if (answer instanceof Error) return reject(answer);
        this.#temps.delete(id);
        resolve(answer as Answer & { ev: W });
      },
    });
    if (tempName !== undefined) this.#temps.set(id, { path, name: tempName });
    void this.#channel?.send(message(id));
    return promise;
  }

  /** Ends an executor that does not behave; the error says so to who asked. */
  distrust(cause: string): AgentError {
    this.#fatal ??= cause;
    this.shut();
    this.#channel?.kill();
    return new AgentError("sandbox", cause);
  }

  /** Takes one message. Throws {@linkcode WireError} for one that fits nothing that was asked. */
  take(message: FromExecutor): void {
    switch (message.ev) {
      case "ready":
        if (this.#state !== "starting") throw new WireError("the executor became ready twice");
        this.#state = "open";
        return this.#ready.resolve(message);
      case "fatal":
        this.#fatal = message.message;
        return;
      case "output": {
        const command = this.#command(message.id);
        command.streamed += message.text.length;
        if (command.streamed > command.streamLimit) throw new WireError("the executor sent too much output");
        return this.#tell(command, message.text);
      }
      case "ended": {
        const { spillPath } = message.result;
        if (
          spillPath !== undefined && !isWithin(spillPath, this.#policy.tempDir) || spillPath?.includes("/../")
        ) {
          throw new WireError("the executor named a spill file outside of its temporary directory");
        }
        return this.#command(message.id).settle({ ...ABSENT, ...message.result });
      }
      case "unstarted":
        return this.#command(message.id).settle(new AgentError("sandbox", message.message));
      case "fault":
        return this.#file(message.id).settle(new FileError(message.fault, message.message));
      case "content":
      case "written":
      case "removed":
      case "stat":
      case "listing":
      case "resolved":
      case "found": {
        const file = this.#file(message.id);
        if (file.wants !== message.ev) {
          throw new WireError(`the executor answered ${file.wants} by ${message.ev}`);
        }
        return file.settle(message);
      }
    }
  }

  /** A listener that throws must not cost the executor its trust. */
  #tell(command: PendingCommand, text: string): void {
    try {
      command.onOutput(text);
    } catch (thrown) {
      this.#log.error("an output listener failed", { cause: String(thrown) });
    }
  }

  #command(id: number): PendingCommand {
    const command = this.#commands.get(id);
    if (command === undefined) throw new WireError("the executor spoke of a command that does not run");
    return command;
  }

  #file(id: number): PendingFile {
    const file = this.#files.get(id);
    if (file === undefined) throw new WireError("the executor answered what was not asked");
    return file;
  }

  #closedError(): AgentError {
    return new AgentError(
      "sandbox",
      `the executor has ended${this.#fatal ? ` (${this.#fatal})` : ""}; try again`,
    );
  }

  async #died(cause: string, abnormal: boolean): Promise<void> {
    this.#state = "dead";
    this.#fatal = cause;
    if (abnormal) {
      this.#log.warn("executor died", { pid: this.#channel?.pid, cause });
      await killRemains({ marker: this.marker, tag: this.#tag });
      await Promise.all([...this.#temps.values()].map(removeTemp));
    }
    this.#ready.reject(new AgentError("sandbox", `the executor could not be started: ${cause}`));
    for (const command of [...this.#commands.values()]) command.lost();
    for (const file of [...this.#files.values()]) file.settle(this.#closedError());
    this.#goneNow.resolve();
  }
}

/** JSON has no `undefined`; the contract's fields are always there. */
const ABSENT = { stopped: undefined, spillPath: undefined } as const;

/** What is known of a command whose executor died. */
function lostResult(stopped: StopCause | undefined, totalBytes: number, tookMs: number): CommandResult {
  return {
    ...{ exit: { signal: "SIGKILL" }, stopped, totalBytes, omittedBytes: 0, tail: "" },
    ...{ spillPath: undefined, strays: 0, durationMs: Math.round(tookMs) },
  };
}

async function removeTemp({ path, name }: TempFile): Promise<void> {
  const target = await Deno.realPath(path).catch(() => path);
  for (const at of new Set([path, target])) {
    await Deno.remove(`${at.slice(0, at.lastIndexOf("/"))}/${name}`).catch(() => {});
  }
}
