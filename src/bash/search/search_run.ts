import type { Policy } from "../../sandbox/policy.ts";
import { FileError } from "../executor_handle.ts";
import { type Processes, SIGKILL } from "../processes.ts";
import type { SearchRequest, SearchResult } from "./search.ts";
import { searchArgv } from "./search_argv.ts";
import { countReader, lineReader, pathReader, type SearchReader } from "./search_output.ts";
import { SearchPage, type SearchRoot } from "./search_page.ts";

/** Bytes of ripgrep's output after which a search ends. */
const OUTPUT_LIMIT = 256 * 1024 * 1024;
/** Characters of ripgrep's own words that are kept. */
const MAX_WORDS = 1000;
/** ripgrep's exit code for an error, be it only a file that could not be read. */
const RG_ERROR = 2;

/** What a search needs of its executor. */
export interface SearchHost {
  readonly rg: string;
  readonly setsid: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: Processes;
  readonly policy: Policy;
}

/** A ripgrep that runs, in a process group of its own. Its first cause to stop wins. */
export class RunningSearch {
  readonly pid: number;
  /** Rejects with a {@linkcode FileError} when ripgrep refuses what it was asked. */
  readonly result: Promise<SearchResult>;

  readonly #processes: Processes;
  readonly #child: Deno.ChildProcess;
  readonly #page: SearchPage;
  readonly #read: SearchReader;
  #cause: SearchResult["stopped"];
  #fault: unknown;
  #hasEnded = false;

  private constructor(host: SearchHost, request: SearchRequest, root: SearchRoot, child: Deno.ChildProcess) {
    this.#processes = host.processes;
    this.#child = child;
    this.pid = child.pid;
    this.#page = new SearchPage(request, host.policy, root);
    this.#read = readerFor(request, this.#page);
    const timer = setTimeout(() => this.stop("timeout"), request.timeoutMs);
    this.result = this.#run().finally(() => clearTimeout(timer));
  }

  /** Starts ripgrep. Throws when it cannot be started there. */
  static start(host: SearchHost, request: SearchRequest, root: SearchRoot): RunningSearch {
    const { real, isDirectory } = root;
    const cut = real.lastIndexOf("/");
    const rg = [host.rg, ...searchArgv(request, isDirectory ? "." : `./${real.slice(cut + 1)}`)];
    const argv = host.setsid === undefined ? rg : [host.setsid, ...rg];
    const child = new Deno.Command(argv[0]!, {
      args: argv.slice(1),
      cwd: isDirectory ? real : real.slice(0, cut) || "/",
      clearEnv: true,
      env: { ...host.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: host.setsid === undefined,
    }).spawn();
    return new RunningSearch(host, request, root, child);
  }

  /** Kills ripgrep: it has nothing to clean up. */
  stop(cause: NonNullable<SearchResult["stopped"]>): void {
    if (this.#cause !== undefined || (this.#hasEnded && cause !== "cancelled")) return;
    this.#cause = cause;
    if (this.#hasEnded) return; // what was found is being put in order
    // Right after the start the process has not yet made its group.
    if (!this.#processes.signalGroup(this.pid, SIGKILL)) this.#processes.signal(this.pid, SIGKILL);
  }

  async #run(): Promise<SearchResult> {
    const [words, status] = await Promise.all([this.#words(), this.#child.status, this.#pump()]);
    this.#hasEnded = true;
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#cause === undefined) this.#check(status, words);
    const entries = await this.#page.finish(() => this.#cause === "cancelled");
    return {
      entries,
      total: this.#page.total,
      ...(this.#cause === undefined ? {} : { stopped: this.#cause }),
      unreadable: status.code === RG_ERROR,
    };
  }

  #check(status: Deno.CommandStatus, words: string): void {
    if (status.signal !== null) throw new FileError("failed", `ripgrep was ended by ${status.signal}`);
    if (status.code !== RG_ERROR || words === "" || this.#page.total > 0) return;
    throw new FileError("bad-pattern", words.replace(/^rg: /, ""));
  }

  async #pump(): Promise<void> {
    let size = 0;
    for await (const bytes of this.#child.stdout) {
      if (this.#cause !== undefined) continue;
      try {
        this.#read(bytes);
      } catch (thrown) {
        this.#fault = thrown; // no ripgrep that writes what is no JSON may run on
        this.stop("limit");
      }
      size += bytes.length;
      if (this.#page.isOver || size > OUTPUT_LIMIT) this.stop("limit");
    }
  }

  async #words(): Promise<string> {
    let words = "";
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      words = (words + text).slice(0, MAX_WORDS);
    }
    return words.trim();
  }
}

function readerFor({ text }: SearchRequest, page: SearchPage): SearchReader {
  const take = page.take.bind(page);
  switch (text?.give) {
    case undefined:
    case "files":
      return pathReader(take);
    case "counts":
      return countReader(take);
    case "lines":
      return lineReader(take);
  }
}
