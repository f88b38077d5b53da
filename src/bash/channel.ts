import { readLines } from "./lines.ts";
import { type FromExecutor, MAX_LINE_BYTES, parseFromExecutor, type ToExecutor, WireError } from "./wire.ts";

/** Characters of the executor's stderr that are kept to explain a failed start. */
const STDERR_LIMIT = 4096;
/** Milliseconds that an executor has to end by itself once its input or output is closed. */
const EXIT_MS = 2_000;

/** How an executor's process ended. */
export interface ChannelEnd {
  readonly cause: string;
  /** False when it ended as it was asked to. */
  readonly abnormal: boolean;
}

/** The process of one executor and the JSON lines on its stdio. */
export class Channel {
  readonly pid: number;
  /** Resolves when the process is gone and all its messages were handed on. Never rejects. */
  readonly ended: Promise<ChannelEnd>;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #stderr = "";
  #asked = false;

  /** Starts the process. Throws when that is not possible. */
  constructor(
    argv: readonly string[],
    env: Record<string, string>,
    onMessage: (message: FromExecutor) => void,
  ) {
    this.#child = new Deno.Command(argv[0]!, {
      args: argv.slice(1),
      cwd: "/",
      clearEnv: true,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.pid = this.#child.pid;
    this.#writer = this.#child.stdin.getWriter();
    void this.#keepStderr();
    this.ended = this.#listen(onMessage);
  }

  /** Sends a message. Never rejects: a dead executor shows in `ended`. */
  async send(message: ToExecutor): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(JSON.stringify(message) + "\n")).catch(() => {});
  }

  /** Asks the process to end, and kills it when it does not. */
  async close(): Promise<void> {
    this.#asked = true;
    await Promise.race([this.send({ op: "exit" }), this.ended]);
    await this.#writer.close().catch(() => {});
    await this.#endInTime();
  }

  /** Ends the process at once. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* it is gone */ }
  }

  async #listen(onMessage: (message: FromExecutor) => void): Promise<ChannelEnd> {
    let fault: string | undefined;
    try {
      for await (const line of readLines(this.#child.stdout, MAX_LINE_BYTES)) {
        onMessage(parseFromExecutor(line));
      }
    } catch (thrown) {
      // A broken or forged message, or one that fits no request: this executor is not to be trusted any more.
      fault = thrown instanceof WireError || thrown instanceof RangeError ? thrown.message : String(thrown);
      this.kill();
    }
    const status = await this.#endInTime();
    const how = status.signal === null ? `exit code ${status.code}` : status.signal;
    const said = this.#stderr.trim();
    return {
      cause: fault ?? `it ended with ${how}${said && `: ${said}`}`,
      abnormal: fault !== undefined || !this.#asked || status.code !== 0,
    };
  }

  async #endInTime(): Promise<Deno.CommandStatus> {
    const timer = setTimeout(() => this.kill(), EXIT_MS);
    try {
      return await this.#child.status;
    } finally {
      clearTimeout(timer);
    }
  }

  async #keepStderr(): Promise<void> {
    try {
      for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
        this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
      }
    } catch { /* the process is gone */ }
  }
}
