import { startExecutor } from "../bash/host.ts";
import type { CommandResult, Executor } from "../bash/executor_handle.ts";
import type { Config, Preset } from "../config/config.ts";
import { messageOf } from "../errors.ts";
import { createLog } from "../log.ts";
import { defined, secretsOf } from "../config/config.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import { policyFor, type PolicyOutcome } from "../sandbox/policy.ts";

/** What `dsh-acp exec` was asked to do. */
export interface ExecOptions {
  readonly config: Config;
  readonly preset: Preset;
  /** Absolute path. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** One JSON object on stdout in place of the output itself. */
  readonly json: boolean;
  readonly command: string;
  /** Aborting it cancels the command and its whole process tree. */
  readonly signal?: AbortSignal;
}

/** Where `dsh-acp exec` writes to. */
export interface ExecOutput {
  stdout(text: string): void | Promise<void>;
  stderr(text: string): void;
}

/** What shells and timeout(1) answer for a command that took too long. */
const TIMED_OUT = 124;
const SIGNAL_BASE = 128;

/**
 * Runs one command through an executor. Resolves to the exit code of this program: the command's own (128 + n for
 * a signal, 124 for a time-out), or with `json` 0 when the command could be run at all; 1 with one line on stderr
 * when it could not. Never rejects.
 */
export async function exec(options: ExecOptions, out: ExecOutput): Promise<number> {
  let tempDir: string | undefined;
  try {
    const parent = `${options.config.stateDir}/tmp`;
    await Deno.mkdir(parent, { recursive: true, mode: 0o700 });
    tempDir = await Deno.makeTempDir({ dir: parent, prefix: "exec-" });
    return await runIn(tempDir, options, out);
  } catch (thrown) {
    out.stderr(`dsh-acp exec: ${messageOf(thrown)}\n`);
    return 1;
  } finally {
    if (tempDir !== undefined) await Deno.remove(tempDir, { recursive: true }).catch(() => {});
  }
}

async function runIn(tempDir: string, options: ExecOptions, out: ExecOutput): Promise<number> {
  const { config, preset, cwd, timeoutMs, command } = options;
  const { environment, envPass, home, stateDir } = config;
  const { policy, notes }: PolicyOutcome = policyFor({
    ...{ preset, cwd, home, stateDir, tempDir },
    ...ownPlacesOf(config),
  });
  for (const note of notes) out.stderr(`dsh-acp exec: ${note}\n`);
  const log = createLog({ ...config.log, secrets: () => secretsOf(config) });
  const executor = await startExecutor({
    ...{ policy, environment, envPass, home, log },
    limits: defined(config.limits),
  });
  try {
    const printed = new Printer(options.json ? undefined : out);
    const result = await executor.run(
      { command, cwd: policy.cwd, timeoutMs },
      (text) => printed.print(text),
      options.signal ?? new AbortController().signal,
    );
    if (result.omittedBytes > 0) printed.print(`\n… ${result.omittedBytes} bytes omitted …\n${result.tail}`);
    const output = await printed.finish();
    if (!options.json) {
      for (const line of remarks(result)) out.stderr(`dsh-acp exec: ${line}\n`);
      return exitCodeOf(result);
    }
    await out.stdout(JSON.stringify(toJson(result, output, executor)) + "\n");
    return 0;
  } finally {
    await executor.close();
  }
}

/** Output on its way: written in order, or kept for the JSON object. */
class Printer {
  readonly #out: ExecOutput | undefined;
  #written: Promise<void> = Promise.resolve();
  #kept = "";

  constructor(out: ExecOutput | undefined) {
    this.#out = out;
  }

  print(text: string): void {
    const out = this.#out;
    if (out === undefined) this.#kept += text;
    else this.#written = this.#written.then(() => out.stdout(text));
  }

  async finish(): Promise<string> {
    await this.#written;
    return this.#kept;
  }
}

/** What happened to the command beside its own output, one line each. */
function remarks({ stopped, restored = [] }: CommandResult): string[] {
  return [...(stopped?.endsWith("-limit") ? [`the command was stopped: ${stopped}`] : []), ...restored];
}

function toJson(result: CommandResult, output: string, executor: Executor): Record<string, unknown> {
  const { preset, enforcement, layers, missing } = executor.report;
  const limit = result.stopped?.endsWith("-limit") ? result.stopped : undefined;
  return {
    exitCode: "code" in result.exit ? result.exit.code : null,
    signal: "signal" in result.exit ? result.exit.signal : null,
    timedOut: result.stopped === "timeout",
    output,
    truncated: result.omittedBytes > 0,
    durationMs: result.durationMs,
    enforcement,
    layers,
    preset,
    ...(missing.length > 0 && { missing }),
    ...(limit !== undefined && { stopped: limit }),
    ...(result.restored !== undefined && { restored: result.restored }),
  };
}

function exitCodeOf({ exit, stopped }: CommandResult): number {
  if (stopped === "timeout") return TIMED_OUT;
  return "code" in exit ? exit.code : SIGNAL_BASE + (SIGNAL_NUMBERS[exit.signal] ?? 0);
}

/** Those that commands die of; POSIX numbers, the same on Linux and macOS but for SIGBUS and the user's two. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  ...{ SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGFPE: 8, SIGKILL: 9 },
  ...{ SIGSEGV: 11, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGXCPU: 24, SIGXFSZ: 25, SIGSYS: 31 },
  ...(Deno.build.os === "linux"
    ? { SIGBUS: 7, SIGUSR1: 10, SIGUSR2: 12 }
    : { SIGBUS: 10, SIGUSR1: 30, SIGUSR2: 31 }),
};
