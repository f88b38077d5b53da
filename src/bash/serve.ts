import { type Obtained, verifyConfinement, verifyNamespaces } from "../sandbox/verify.ts";
import type { Libc } from "../sandbox/libc.ts";
import { applyLimits, DEFAULT_LIMITS } from "../sandbox/limits.ts";
import { readRegular } from "../sandbox/read_file.ts";
import type { LayerName } from "../sandbox/report.ts";
import { infoVersion, statxVersion } from "../sandbox/version.ts";
import { type CommandHost, RunningCommand } from "./command.ts";
import { FileError } from "./executor_handle.ts";
import { Files } from "./files.ts";
import type { LaunchPlan } from "./launch.ts";
import { endLeftovers } from "./leftovers.ts";
import { readLines } from "./lines.ts";
import { linuxProcesses, type Processes, SIGKILL } from "./processes.ts";
import { portableProcesses } from "./dax/portable_processes.ts";
import { NO_RIPGREP } from "./search/ripgrep.ts";
import { RunningSearch } from "./search/search_run.ts";
import { Watch } from "./watch.ts";
import { type FromExecutor, MARKER_VARIABLE, MAX_LINE_BYTES, type ToExecutor } from "./wire.ts";
import { writeMessage } from "./write_message.ts";

/** Serves the agent's requests until it says `exit`, closes stdin or sends SIGTERM; then ends all that runs. */
export async function serve(plan: LaunchPlan, libc: Libc | undefined): Promise<void> {
  const obtained = plan.policy.confined ? obtainedBy(plan, libc) : { layers: [], missing: [] };
  const server = new Server(plan, libc);
  const { promise: terminated, resolve: terminate } = Promise.withResolvers<void>();
  Deno.addSignalListener("SIGTERM", terminate);
  await Promise.race([terminated, server.listen(obtained)]);
  await server.end();
}

function obtainedBy(plan: LaunchPlan, libc: Libc | undefined): Obtained {
  if (plan.inSeatbelt) return verifySeatbelt(plan);
  if (libc === undefined) throw new Error("the C library was not found, so nothing can be confined");
  const { layers, missing } = verifyConfinement(libc);
  if (!plan.inNamespaces) return { layers, missing };
  verifyNamespaces(libc);
  return { layers: ["bubblewrap", ...layers], missing };
}

/** Tries, by the shell, which Deno does not hold: a file beside the session's directory must not come to be. */
function verifySeatbelt(plan: LaunchPlan): Obtained {
  const probe = `${plan.policy.tempDir}.probe`;
  const args = ["-c", ': > "$1" && rm -f "$1"', "probe", probe];
  const { success } = new Deno.Command(plan.tools.bash, { args, clearEnv: true, stdin: "null" }).outputSync();
  if (success) throw new Error("sandbox-exec does not hold (files outside can be written)");
  return { layers: ["seatbelt"], missing: ["macOS's sandbox was not tested with this program"] };
}

class Server {
  readonly #plan: LaunchPlan;
  readonly #processes: Processes;
  readonly #files: Files;
  readonly #running = new Map<number, RunningCommand>();
  readonly #searches = new Map<number, RunningSearch>();
  readonly #watch: Watch | undefined;
  /** Commands and searches that were cancelled before they had started. */
  readonly #cancelled = new Set<number>();
  #env: Record<string, string> = {};
  #marker = "";

  constructor(plan: LaunchPlan, libc: Libc | undefined) {
    this.#plan = plan;
    if (libc === undefined) {
      this.#processes = portableProcesses(plan.tools.bash);
      this.#files = new Files(plan.policy, (_, info) => infoVersion(info));
      return;
    }
    this.#processes = linuxProcesses(libc, Deno.pid);
    const { policy, limits = DEFAULT_LIMITS, inNamespaces = false } = plan;
    applyLimits(libc, limits, inNamespaces);
    this.#watch = new Watch({
      libc,
      limits,
      self: Deno.pid,
      disks: [policy.tempDir, policy.cwd],
      running: () => this.#running.values(),
    });
    this.#files = new Files(
      policy,
      (path, info) => statxVersion(libc, path) ?? infoVersion(info),
      (path, from, maxBytes) => readRegular(libc, path, from, maxBytes),
    );
  }

  async listen(obtained: Obtained): Promise<void> {
    for await (const line of readLines(stdinChunks(), MAX_LINE_BYTES)) {
      const message = JSON.parse(line) as ToExecutor;
      if (message.op === "exit") return;
      // An answer that cannot be written means that the agent is gone; then stdin ends too.
      void this.#handle(message, obtained).catch(() => {});
    }
  }

  async #handle(message: Exclude<ToExecutor, { op: "exit" }>, obtained: Obtained): Promise<void> {
    switch (message.op) {
      case "init": {
        [this.#env, this.#marker] = [message.env, message.marker];
        const deno: LayerName[] = this.#plan.standalone || !this.#plan.policy.confined ? [] : ["deno"];
        const layers: LayerName[] = [...deno, "env-scrub", ...obtained.layers];
        return await writeMessage({ ev: "ready", layers, missing: [...obtained.missing] });
      }
      case "run":
        return await this.#run(message);
      case "cancel": {
        const command = this.#running.get(message.id) ?? this.#searches.get(message.id);
        if (command === undefined) this.#cancelled.add(message.id);
        else command.stop("cancelled");
        return;
      }
      case "read":
        return await this.#answer(message.id, async () => {
          const { bytes, ...about } = await this.#files.read(
            message.path,
            message.from ?? 0,
            message.maxBytes,
          );
          return { ev: "content", id: message.id, base64: bytes.toBase64(), ...about };
        });
      case "write":
        return await this.#answer(message.id, async () => {
          const { path, ifVersion, tempName } = message;
          const bytes = Uint8Array.fromBase64(message.base64);
          const { version } = await this.#files.write({ path, bytes, ifVersion, tempName });
          return { ev: "written", id: message.id, version };
        });
      case "remove":
        return await this.#answer(message.id, async () => {
          await this.#files.remove(message.path, message.ifVersion);
          return { ev: "removed", id: message.id };
        });
      case "stat":
        return await this.#answer(message.id, async () => {
          return { ev: "stat", id: message.id, stat: await this.#files.stat(message.path) };
        });
      case "search":
        return await this.#answer(message.id, () => this.#search(message));
      case "list":
        return await this.#answer(message.id, async () => {
          return { ev: "listing", id: message.id, listing: await this.#files.list(message.path) };
        });
      case "resolve":
        return await this.#answer(message.id, async () => {
          return { ev: "resolved", id: message.id, path: await this.#files.resolve(message.path) };
        });
    }
  }

  async #answer(id: number, work: () => Promise<FromExecutor>): Promise<void> {
    const answer = await work().catch((thrown): FromExecutor => ({
      ev: "fault",
      id,
      fault: thrown instanceof FileError ? thrown.fault : "failed",
      message: thrown instanceof Error ? thrown.message : String(thrown),
    }));
    await writeMessage(answer);
  }

  async #run(message: ToExecutor & { op: "run" }): Promise<void> {
    const { op: _, id, ...request } = message;
    const marker = `${this.#marker}.${id}`;
    let running: RunningCommand;
    try {
      const env = { ...this.#env, [MARKER_VARIABLE]: marker };
      running = RunningCommand.start(this.#hostFor(id), { ...request, env, marker });
    } catch (thrown) {
      return await writeMessage({ ev: "unstarted", id, message: await startFault(thrown, request.cwd) });
    }
    if (this.#cancelled.delete(id)) running.stop("cancelled");
    const result = await running.result;
    this.#running.delete(id);
    await writeMessage({ ev: "ended", id, result });
  }

  async #search({ op: _, id, ...request }: ToExecutor & { op: "search" }): Promise<FromExecutor> {
    const { rg, setsid } = this.#plan.tools;
    if (rg === undefined) throw new FileError("failed", NO_RIPGREP);
    try {
      const root = await this.#files.searchable(request.path);
      const env = { ...this.#env, [MARKER_VARIABLE]: `${this.#marker}.${id}` };
      const host = { rg, setsid, env, processes: this.#processes, policy: this.#plan.policy };
      // In the map in the same turn in which the process was made, so that no sweep takes it for an orphan.
      const search = RunningSearch.start(host, request, root);
      this.#searches.set(id, search);
      if (this.#cancelled.delete(id)) search.stop("cancelled");
      return { ev: "found", id, result: await search.result };
    } finally {
      this.#searches.delete(id);
      this.#cancelled.delete(id);
    }
  }

  #hostFor(id: number): CommandHost {
    return {
      bash: this.#plan.tools.bash,
      setsid: this.#plan.tools.setsid,
      tempDir: this.#plan.policy.tempDir,
      processes: this.#processes,
      started: (command) => {
        this.#running.set(id, command);
        this.#watch?.begin();
      },
      overrun: () => this.#sweep(),
      emit: (text) => writeMessage({ ev: "output", id, text }),
      orphansOf: (command) => this.#orphansOf(command),
    };
  }

  #orphansOf(command: RunningCommand): ReturnType<CommandHost["orphansOf"]> {
    const orphans = this.#processes.orphans(this.#pids());
    if (this.#running.size <= 1) return orphans;
    return orphans.filter(({ pid, stat }) =>
      stat.session === command.pid || this.#processes.markerOf(pid) === command.marker
    );
  }

  /** In a process namespace of its own all that can be signalled is ours: a fork bomb ends by one call. */
  #sweep(): void {
    if (this.#plan.inNamespaces && this.#running.size === 1) this.#processes.signal(-1, SIGKILL);
  }

  #pids(): Set<number> {
    return new Set([...this.#running.values(), ...this.#searches.values()].map(({ pid }) => pid));
  }

  /** Kills all that runs, and what escaped from it. */
  async end(): Promise<void> {
    for (const command of this.#running.values()) command.kill();
    for (const search of this.#searches.values()) search.stop("cancelled");
    await endLeftovers(this.#processes, () => this.#processes.orphans(this.#pids()), 0);
  }
}

/** What the agent sends, as it comes; `Deno.stdin.readable` would cost each start some milliseconds more. */
async function* stdinChunks(): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const chunk = new Uint8Array(64 * 1024);
    const size = await Deno.stdin.read(chunk);
    if (size === null) return;
    yield chunk.subarray(0, size);
  }
}

async function startFault(thrown: unknown, cwd: string): Promise<string> {
  const info = await Deno.stat(cwd).catch(() => undefined);
  if (info === undefined) return `the working directory ${cwd} does not exist`;
  if (!info.isDirectory) return `the working directory ${cwd} is no directory`;
  return `bash could not be started: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}
