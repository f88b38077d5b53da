import { resolve } from "@std/path/resolve";
import { AgentError } from "../../errors.ts";
import { mayRead, mayWrite } from "../../sandbox/access.ts";
import { scrubEnv } from "../../sandbox/env.ts";
import { realPathOrSelf } from "../../sandbox/paths.ts";
import type { Policy } from "../../sandbox/policy.ts";
import type { ConfinementReport } from "../../sandbox/report.ts";
import { type DaxProcess, startDaxProcess } from "./dax_process.ts";
import { type DaxCommand, readForDax, type TouchedPath } from "./dax_syntax.ts";
import { resolvedUnder } from "../resolved.ts";
import { findProgram } from "../discover.ts";
import type {
  Beyond,
  CommandRequest,
  CommandResult,
  Executor,
  FileContent,
  FileStat,
  Listing,
  ResolvedPath,
} from "../executor_handle.ts";
import type { ExecutorOptions } from "../executor_options.ts";
import type { SearchResult } from "../search/search.ts";
import { contentOf } from "../wire.ts";

const NO_BASH =
  "no bash was found: commands run in a simpler shell, and the programs that they start are not confined; install bash";

const NO_SEARCH =
  "this machine has no bash, and without it ripgrep cannot be confined: nothing was searched; read files by their paths, or install bash";

/**
 * The executor of a machine without bash. Files, and commands that start no program, go through one process that
 * may start none; a command with programs, or with paths that lead out of what the policy allows, is for the user
 * to approve; one with programs gets a process of its own that may start just these, once it was
 * approved ({@linkcode DaxExecutor.beyond}) or where the policy confines nothing.
 */
export class DaxExecutor implements Executor {
  readonly report: ConfinementReport;
  readonly #options: ExecutorOptions;
  readonly #base: DaxProcess;
  readonly #own = new Set<DaxProcess>();
  #closed = false;

  private constructor(options: ExecutorOptions, base: DaxProcess) {
    this.#options = options;
    this.#base = base;
    this.report = {
      preset: options.policy.preset,
      enforcement: "none",
      layers: options.policy.confined ? ["deno", "env-scrub"] : ["env-scrub"],
      missing: [NO_BASH],
    };
  }

  /** Rejects with `AgentError("sandbox")` when Deno cannot start it, such as in a compiled program. */
  static async start(options: ExecutorOptions): Promise<DaxExecutor> {
    if (Deno.build.standalone) {
      throw new AgentError(
        "sandbox",
        "no bash was found, and a compiled program has no other shell; install bash",
      );
    }
    await import("./dax_executor.ts"); // so that its modules are in the cache, which is all that its process may use
    return new DaxExecutor(options, await startDaxProcess(options, []));
  }

  get closed(): boolean {
    return this.#closed || this.#base.requests.closed;
  }

  async run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    return await this.#run(request, onOutput, signal, !this.#options.policy.confined);
  }

  async beyond(command: string, cwd: string): Promise<Beyond | undefined> {
    const read = await readForDax(command);
    if ("refusal" in read) return undefined; // `run` says so
    const reason = this.#unconfinable(read, cwd);
    return reason === undefined ? undefined : { reason, executor: this.#approvedFor(command) };
  }

  /** What of a command Deno's permissions alone do not hold: programs, and links that lead out. */
  #unconfinable(read: Extract<DaxCommand, { programs: unknown }>, cwd: string): string | undefined {
    const { policy } = this.#options;
    if (!policy.confined) return undefined;
    if (read.programs.length > 0) {
      const names = read.programs.join(", ");
      return `this machine has no bash, and without it the programs of a command cannot be confined (${names})`;
    }
    return read.touched && !leadsOut(policy, cwd, read.touched)
      ? undefined
      : "this machine has no bash, and without it a command that may follow links out of the workspace cannot be confined";
  }

  #approvedFor(command: string): Executor {
    const closed = () => this.closed;
    return {
      report: this.report,
      get closed() {
        return closed();
      },
      run: (request, onOutput, signal) => this.#run(request, onOutput, signal, request.command === command),
      readFile: (path, maxBytes) => this.readFile(path, maxBytes),
      readRange: (path, from, maxBytes) => this.readRange(path, from, maxBytes),
      writeFile: (path, bytes, ifVersion) => this.writeFile(path, bytes, ifVersion),
      remove: (path, ifVersion) => this.remove(path, ifVersion),
      stat: (path) => this.stat(path),
      search: () => this.search(),
      list: (path) => this.list(path),
      resolve: (path) => this.resolve(path),
      close: () => this.close(),
    };
  }

  readFile(path: string, maxBytes: number): Promise<FileContent> {
    return this.readRange(path, 0, maxBytes);
  }

  async readRange(path: string, from: number, maxBytes: number): Promise<FileContent> {
    const { requests } = this.#base;
    return contentOf(
      await requests.file("content", path, (id) => ({ op: "read", id, path, from, maxBytes })),
    );
  }

  async writeFile(path: string, bytes: Uint8Array, ifVersion?: string): Promise<{ version: string }> {
    const tempName = `.dsh-${crypto.randomUUID()}.tmp`;
    const wish = {
      path,
      base64: bytes.toBase64(),
      tempName,
      ...(ifVersion === undefined ? {} : { ifVersion }),
    };
    const { version } = await this.#base.requests.file(
      "written",
      path,
      (id) => ({ op: "write", id, ...wish }),
      tempName,
    );
    return { version };
  }

  async remove(path: string, ifVersion?: string): Promise<void> {
    const wish = ifVersion === undefined ? {} : { ifVersion };
    await this.#base.requests.file("removed", path, (id) => ({ op: "remove", id, path, ...wish }));
  }

  async stat(path: string): Promise<FileStat> {
    return (await this.#base.requests.file("stat", path, (id) => ({ op: "stat", id, path }))).stat;
  }

  /** ripgrep is a program, and programs are not confined here: a search is no reason to ask for that. */
  search(): Promise<SearchResult> {
    return Promise.reject(new AgentError("sandbox", NO_SEARCH));
  }

  async list(path: string): Promise<Listing> {
    return (await this.#base.requests.file("listing", path, (id) => ({ op: "list", id, path }))).listing;
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const { requests } = this.#base;
    const resolved = await requests.file("resolved", path, (id) => ({ op: "resolve", id, path }));
    return resolvedUnder(this.#options.policy, resolved.path);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#base, ...this.#own].map((process) => process.close()));
  }

  async #run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
    approved: boolean,
  ): Promise<CommandResult> {
    const read = await readForDax(request.command);
    if ("refusal" in read) {
      throw new AgentError(
        "sandbox",
        `this machine has no bash, and the shell that stands in for it cannot do ${read.refusal}: nothing was run`,
      );
    }
    const beyond = this.#unconfinable(read, request.cwd);
    if (read.programs.length === 0 && (approved || beyond === undefined)) {
      return await this.#base.requests.run(request, onOutput, signal);
    }
    if (!approved) {
      throw new AgentError(
        "sandbox",
        `${beyond}: nothing was run`,
      );
    }
    return await this.#runAlone(request, onOutput, signal, await this.#paths(read.programs));
  }

  async #runAlone(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
    programs: readonly string[],
  ): Promise<CommandResult> {
    const process = await startDaxProcess(this.#options, programs);
    this.#own.add(process);
    try {
      if (this.#closed) throw new AgentError("sandbox", "the executor has ended; try again");
      return await process.requests.run(request, onOutput, signal);
    } finally {
      await process.close();
      this.#own.delete(process);
    }
  }

  /** Where the programs are; those that are nowhere the shell itself tells of. */
  async #paths(names: readonly string[]): Promise<string[]> {
    if (Deno.build.os === "windows") return [...names];
    const { environment, envPass, policy } = this.#options;
    const { tempDir, confined } = policy;
    const path = scrubEnv(environment, { pass: envPass, tempDir, confined, bash: "" }).PATH ?? "";
    const found = await Promise.all(
      names.map((name) => name.includes("/") ? resolveIn(policy.cwd, name) : findProgram(name, path)),
    );
    return found.filter((file) => file !== undefined);
  }
}

/** A program that is given by its path. */
function resolveIn(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path.replace(/^\.\//, "")}`;
}

/**
 * Does a path look allowed and lead, by a link, to where it is not? Deno's permissions would follow it. What looks
 * forbidden they refuse. Every path is tried from every directory that the command may have gone into by then.
 */
function leadsOut(policy: Policy, cwd: string, touched: readonly TouchedPath[]): boolean {
  const bases = new Set([cwd]);
  for (const { path, use } of touched) {
    const may = use === "write" ? mayWrite : mayRead;
    for (const named of [...bases].map((base) => resolve(base, path))) {
      const real = realPathOrSelf(named);
      if (real !== named && may(policy, named) && !may(policy, real)) return true;
      if (use === "enter") bases.add(real);
    }
  }
  return false;
}
