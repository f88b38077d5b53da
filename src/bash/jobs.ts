import type { ConfinementReport } from "../sandbox/report.ts";
import { messageOf } from "../errors.ts";
import type { CommandExit, CommandResult, Executor, StopCause } from "./executor_handle.ts";
import { type Unread, UnreadOutput } from "./unread.ts";

/** Milliseconds after which a job is ended: a day's forgotten server must not run for ever. */
export const JOB_TIMEOUT_MS: number = 60 * 60 * 1000;
/** Bytes of a job's output that can be read while it runs: it may be a server's log of an hour. */
const JOB_LIVE_LIMIT = 16 * 1024 * 1024;
/** Jobs of one session that may run at once. */
export const MAX_RUNNING_JOBS = 8;
/** Ended jobs that are remembered; of older ones the model has read the end. */
const MAX_ENDED_JOBS = 32;

/** A command that is to run beside the turns. */
export interface JobRequest {
  readonly command: string;
  /** Absolute path of an existing directory. */
  readonly cwd: string;
  /** What wider executor it runs in, if any. */
  readonly escalate?: "network" | "unconfined";
}

/** Why a job was ended before it ended by itself. */
export type JobStop = StopCause | "killed";

/** What became of a job: how its command ended, or why it could not be run or is gone. */
export type JobOutcome =
  | { readonly exit: CommandExit; readonly stopped: JobStop | null; readonly durationMs: number }
  | { readonly failure: string };

/** A job by its name in this session. */
export interface JobName {
  /** `job1`, `job2`, … */
  readonly job: string;
  readonly command: string;
}

/** A job that has ended. */
export interface JobEnd extends JobName {
  readonly outcome: JobOutcome;
}

/** What one look at a job gives. */
export interface JobReading {
  readonly name: string;
  readonly request: JobRequest;
  /** What holds for its command. */
  readonly report: ConfinementReport;
  /** The output that no look before has given. */
  readonly output: Unread;
  readonly runningMs: number;
  /** Undefined while it runs. */
  readonly outcome: JobOutcome | undefined;
  /** The command's account; undefined while it runs, and when it could not be run. */
  readonly result: CommandResult | undefined;
}

/** Who writes down what a job table does, before it is done; what it throws keeps it from being done. */
export interface JobJournal {
  started(job: JobName): void;
  /** The model is about to read of the end in a tool's result. */
  ended(end: JobEnd): void;
}

/** What {@linkcode JobTable} works with. */
export interface JobTableOptions {
  readonly journal: JobJournal;
  /** Jobs that the session has had before: their names are not used again. */
  readonly before?: number;
}

/** A fault of the model's: no such job, or too many. The message says how to go on. */
export class JobError extends Error {
  override readonly name = "JobError";
}

/**
 * The background jobs of one session; nobody else can name them.
 *
 * Contract: a job runs in the executor it was started with until it ends, is killed, its time is over
 * ({@linkcode JOB_TIMEOUT_MS}), or the executor or this table is closed; a turn's cancel does not touch it.
 * Output is given once. Nothing is told of an end by itself: whoever begins a turn asks
 * {@linkcode reportEnded}.
 */
export class JobTable {
  readonly #journal: JobJournal;
  readonly #jobs = new Map<string, Job>();
  #last: number;
  #closed = false;

  constructor(options: JobTableOptions) {
    this.#journal = options.journal;
    this.#last = options.before ?? 0;
  }

  /** @throws JobError when no further job may be started now. */
  assertRoom(): void {
    if (this.#closed) throw new JobError("The session is closed.");
    const running = this.#running().map((job) => job.name);
    if (running.length < MAX_RUNNING_JOBS) return;
    throw new JobError(
      `${running.length} background jobs run already (${
        running.join(", ")
      }), and no more may: end one with job_kill.`,
    );
  }

  /** Starts a job and gives its name. @throws JobError as {@linkcode assertRoom} does, or what the journal throws. */
  start(executor: Executor, request: JobRequest): string {
    this.assertRoom();
    const name = `job${this.#last + 1}`;
    this.#journal.started({ job: name, command: request.command });
    this.#last++;
    this.#forget();
    this.#jobs.set(name, new Job(name, executor, request));
    return name;
  }

  /** Waits until the job ends, at most `ms`, or until `signal` is aborted. @throws JobError for no such job. */
  async wait(name: string, ms: number, signal: AbortSignal): Promise<void> {
    const { ended } = this.#find(name);
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, ms);
    signal.addEventListener("abort", () => over.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([ended, over.promise]);
    clearTimeout(timer);
  }

  /** What is new of a job. @throws JobError for no such job, or what the journal throws: nothing is lost then. */
  read(name: string): JobReading {
    const job = this.#find(name);
    if (job.outcome !== undefined && !job.told) {
      this.#journal.ended({ job: name, command: job.request.command, outcome: job.outcome });
      job.told = true;
    }
    return job.read();
  }

  /** Ends a job with all its processes; resolves when they are gone. False: it had ended before. */
  async kill(name: string): Promise<boolean> {
    const job = this.#find(name);
    if (job.outcome !== undefined) return false;
    job.kill();
    await job.ended;
    return true;
  }

  /** Hands on each end that nobody was told of yet; one whose `report` throws is handed on again next time. */
  reportEnded(report: (end: JobEnd) => void): void {
    for (const job of this.#jobs.values()) {
      if (job.outcome === undefined || job.told) continue;
      report({ job: job.name, command: job.request.command, outcome: job.outcome });
      job.told = true;
    }
  }

  /** Ends all jobs; none can be started any more. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#running().map((job) => {
        job.kill();
        return job.ended;
      }),
    );
  }

  #running(): Job[] {
    return [...this.#jobs.values()].filter((job) => job.outcome === undefined);
  }

  #find(name: string): Job {
    const job = this.#jobs.get(name);
    if (job) return job;
    const known = [...this.#jobs.keys()].slice(-MAX_RUNNING_JOBS).join(", ");
    throw new JobError(`There is no job "${name}".${known && ` Jobs: ${known}.`}`);
  }

  #forget(): void {
    const old = [...this.#jobs.values()].filter((job) => job.told).slice(0, -MAX_ENDED_JOBS);
    for (const { name } of old) this.#jobs.delete(name);
  }
}

/** One job; it ends once and for all. */
class Job {
  /** Never rejects. */
  readonly ended: Promise<void>;
  outcome: JobOutcome | undefined;
  /** Does the model know of its end? */
  told = false;
  readonly #report: ConfinementReport;
  readonly #unread = new UnreadOutput();
  readonly #killer = new AbortController();
  readonly #since = performance.now();
  #result: CommandResult | undefined;

  constructor(readonly name: string, executor: Executor, readonly request: JobRequest) {
    this.#report = executor.report;
    const { command, cwd } = request;
    const run = { command, cwd, timeoutMs: JOB_TIMEOUT_MS, liveLimit: JOB_LIVE_LIMIT };
    const onOutput = (text: string) => this.#unread.push(text);
    this.ended = executor.run(run, onOutput, this.#killer.signal)
      .then((result) => this.#end(result), (thrown) => void (this.outcome = { failure: messageOf(thrown) }));
  }

  kill(): void {
    this.#killer.abort();
  }

  read(): JobReading {
    return {
      name: this.name,
      request: this.request,
      report: this.#report,
      output: this.#unread.take(),
      runningMs: Math.round(performance.now() - this.#since),
      outcome: this.outcome,
      result: this.#result,
    };
  }

  #end(result: CommandResult): void {
    this.#unread.skip(result.omittedBytes);
    this.#unread.push(result.tail);
    this.#result = result;
    const { exit, durationMs } = result;
    const stopped = result.stopped === "cancelled" ? "killed" : result.stopped ?? null;
    this.outcome = { exit, stopped, durationMs };
  }
}
