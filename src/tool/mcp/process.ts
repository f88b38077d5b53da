import { findProgram } from "../../bash/discover.ts";
import { messageOf } from "../../errors.ts";

/** Characters of a server's stderr that are kept to explain its end. */
const STDERR_LIMIT = 2_000;
/** Milliseconds that a server has to end by itself once its input is closed; then TERM, then KILL. */
const EOF_MS = 250;
const TERM_MS = 200;
/** Milliseconds that the pipe may stay open after the server has ended. */
const DRAIN_MS = 50;
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** What a server is started with. */
export interface ProcessStart {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * The process of one stdio server, in a session and group of its own. It ends with all of its group: when it is
 * closed, when the server's main process ends, and, by a watch that reads the end of a pipe, when the agent is killed.
 */
export class ServerProcess {
  /** How it ended, in words. Resolves when it is gone and what it had written was handed on. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: Deno.ChildProcess;
  readonly #watch: Deno.ChildProcess | undefined;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stdout: ReadableStreamDefaultReader<Uint8Array>;
  #stderr = "";
  #gone = false;

  private constructor(child: Deno.ChildProcess, watch: Deno.ChildProcess | undefined) {
    this.#child = child;
    this.#watch = watch;
    this.#writer = child.stdin.getWriter();
    this.#stdout = child.stdout.getReader();
    const drained = this.#keepStderr();
    this.ended = this.#end(drained);
  }

  /** Starts a server. @throws Error that says in one line why it cannot be started. */
  static async start({ command, args, env, cwd }: ProcessStart): Promise<ServerProcess> {
    const program = command.includes("/") ? command : await findProgram(command, env.PATH ?? SYSTEM_PATH);
    if (program === undefined) throw new Error(`there is no program ${command} in PATH`);
    const path = program.startsWith("/") ? program : `${cwd}/${program}`;
    if (!(await Deno.stat(path).catch(() => undefined))?.isFile) {
      throw new Error(`there is no program ${path}`);
    }
    const setsid = await findProgram("setsid", SYSTEM_PATH);
    const argv = setsid === undefined ? [path, ...args] : [setsid, path, ...args];
    let child: Deno.ChildProcess;
    try {
      child = new Deno.Command(argv[0]!, {
        args: argv.slice(1),
        cwd,
        clearEnv: true,
        env: { ...env },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        detached: setsid === undefined,
      }).spawn();
    } catch (e) {
      throw new Error(`it cannot be started: ${messageOf(e)}`);
    }
    return new ServerProcess(child, watchFor(child.pid, setsid));
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The end of what it wrote to stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  /** What it writes to stdout, until it has ended. */
  async *output(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const { value, done } = await this.#stdout.read();
      if (done) return;
      yield value;
    }
  }

  /** Resolves when it has taken the text; rejects when it is gone. */
  async write(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Ends it: by the end of its input, else by TERM, else by KILL. Never rejects. */
  async close(): Promise<void> {
    void this.#writer.close().catch(() => {});
    if (!await this.#isGoneWithin(EOF_MS)) {
      this.#signal("SIGTERM");
      if (!await this.#isGoneWithin(TERM_MS)) this.kill();
    }
    await this.ended;
  }

  /** Ends it at once. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: Deno.Signal): void {
    if (this.#gone) return;
    // Right after the start the process has not yet made its group.
    if (!trySignal(-this.pid, signal)) trySignal(this.pid, signal);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), ms);
    try {
      return await Promise.race([this.ended.then(() => true), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #end(drained: Promise<void>): Promise<string> {
    const status = await this.#child.status;
    trySignal(-this.pid, "SIGKILL"); // what it started goes with it
    this.#gone = true;
    try {
      this.#watch?.kill("SIGKILL");
    } catch { /* it is gone */ }
    await this.#watch?.status;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.resolve(), DRAIN_MS);
    await Promise.race([drained, late.promise]);
    clearTimeout(timer);
    setTimeout(() => void this.#stdout.cancel().catch(() => {}), DRAIN_MS);
    return status.signal === null ? `exit code ${status.code}` : status.signal;
  }

  /** Read to the end, so that it never has to wait; only the last of it is kept. */
  async #keepStderr(): Promise<void> {
    try {
      for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
        this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
      }
    } catch { /* the process is gone */ }
  }
}

/**
 * A shell that waits for the end of its input, which comes when the agent is gone however it went, and then ends
 * the group. A parent-death signal would not do: it is sent when the thread ends that started the process.
 */
function watchFor(group: number, setsid: string | undefined): Deno.ChildProcess | undefined {
  const shell = ["/bin/sh", "-c", `read _; sleep 1; kill -s KILL -- -${group} 2>/dev/null`];
  const argv = setsid === undefined ? shell : [setsid, ...shell];
  try {
    const child = new Deno.Command(argv[0]!, {
      args: argv.slice(1),
      cwd: "/",
      clearEnv: true,
      env: { PATH: SYSTEM_PATH },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      detached: setsid === undefined,
    }).spawn();
    child.unref();
    return child;
  } catch {
    return undefined; // no shell: the end of the server's input has to do
  }
}

function trySignal(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
