import type { CommandResult, Executor, FileContent } from "../../src/bash/executor_handle.ts";
import { FileError } from "../../src/bash/executor_handle.ts";
import type { SearchRequest, SearchResult } from "../../src/bash/search/search.ts";
import type { Preset } from "../../src/config/config.ts";
import { AgentError } from "../../src/errors.ts";
import type { Always } from "../../src/permission/decide.ts";
import type { Grant } from "../../src/permission/grant.ts";
import { absentUser } from "../../src/session/absent_user.ts";
import type { Answer, Front, GrantBook, Question, Wish, Workbench } from "../../src/session/ports.ts";

/** An executor in memory: commands are looked up in a table, files in a map. */
export class FakeExecutor implements Executor {
  readonly report = { preset: "workspace", enforcement: "none", layers: [], missing: [] } as const;
  readonly closed = false;
  readonly files = new Map<string, string>();
  readonly commands: string[] = [];
  /** What `run` does; by default the command's text is its output. */
  behave: (
    command: string,
    emit: (text: string) => void,
    signal: AbortSignal,
  ) => Promise<Partial<CommandResult>> = (
    command,
    emit,
  ) => {
    emit(`${command}\n`);
    return Promise.resolve({});
  };

  async run(
    request: { command: string },
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    this.commands.push(request.command);
    const result = await this.behave(request.command, onOutput, signal);
    return {
      exit: { code: 0 },
      stopped: undefined,
      totalBytes: 0,
      omittedBytes: 0,
      tail: "",
      spillPath: undefined,
      strays: 0,
      durationMs: 1,
      ...result,
    };
  }

  readFile(path: string): Promise<FileContent> {
    const text = this.files.get(path);
    if (text === undefined) return Promise.reject(new FileError("not-found", `${path}: no such file`));
    const bytes = new TextEncoder().encode(text);
    return Promise.resolve({ bytes, size: bytes.length, version: text });
  }

  async readRange(path: string, from: number, maxBytes: number) {
    const { bytes, ...about } = await this.readFile(path);
    return { ...about, bytes: bytes.slice(from, from + maxBytes) };
  }

  list(path: string) {
    const names = [...this.files.keys()].filter((f) => f.startsWith(`${path}/`)).map((f) =>
      f.slice(path.length + 1)
    );
    const entries = names.filter((n) => !n.includes("/")).sort().map((name) => ({
      name,
      kind: "file" as const,
    }));
    return Promise.resolve({ entries, more: 0 });
  }

  writeFile(path: string, bytes: Uint8Array, ifVersion?: string) {
    const now = this.files.get(path) ?? "missing";
    if (ifVersion !== undefined && ifVersion !== now) {
      return Promise.reject(new FileError("changed", `${path} has changed`));
    }
    this.files.set(path, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    return Promise.resolve({ version: this.files.get(path)! });
  }

  remove(path: string, ifVersion?: string) {
    const now = this.files.get(path);
    if (now === undefined) return Promise.reject(new FileError("not-found", `${path}: no such file`));
    if (ifVersion !== undefined && ifVersion !== now) {
      return Promise.reject(new FileError("changed", `${path} has changed`));
    }
    this.files.delete(path);
    return Promise.resolve();
  }

  stat(path: string) {
    const text = this.files.get(path);
    return Promise.resolve({
      kind: text === undefined ? "missing" as const : "file" as const,
      size: text?.length ?? 0,
      version: text ?? "",
    });
  }

  /** What `search` gives; by default nothing is found. */
  found: (request: SearchRequest) => Promise<SearchResult> = () =>
    Promise.resolve({ entries: [], total: 0, unreadable: false });
  readonly searches: SearchRequest[] = [];

  search(request: SearchRequest): Promise<SearchResult> {
    this.searches.push(request);
    return this.found(request);
  }

  resolve(path: string) {
    return Promise.resolve({ path, readable: true, writable: true });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A workbench that hands out one fake executor and records what was wished for. */
export class FakeWorkbench implements Workbench {
  readonly inner: FakeExecutor = new FakeExecutor();
  readonly wishes: (string | undefined)[] = [];
  /** Set: the confinement cannot be put on, for this reason. */
  unconfinable: string | undefined;

  executor(_preset: Preset, wish?: Wish): Promise<Executor> {
    this.wishes.push(wish);
    if (this.unconfinable && wish !== "unconfined") {
      return Promise.reject(new AgentError("sandbox", this.unconfinable));
    }
    return Promise.resolve(this.inner);
  }

  prepare(): void {}

  setRoots(): void {}

  report(): undefined {
    return undefined;
  }

  notes(): readonly string[] {
    return [];
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Grants in memory. */
export class FakeGrants implements GrantBook {
  readonly kept: Always[] = [];

  list(): Promise<readonly Grant[]> {
    return Promise.resolve(this.kept.map((k) => k.grant));
  }

  remember(always: Always): Promise<void> {
    this.kept.push(always);
    return Promise.resolve();
  }
}

/** A front whose user gives prepared answers; asked more often it says no. */
export class FakeFront implements Front {
  readonly questions: Question[] = [];
  readonly answers: Answer[] = [];
  readonly elicit = absentUser.elicit;
  readonly elicitationDone = absentUser.elicitationDone;
  readonly choose = absentUser.choose;

  ask(question: Question): Promise<Answer> {
    this.questions.push(question);
    return Promise.resolve(this.answers.shift() ?? "reject");
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }
}
