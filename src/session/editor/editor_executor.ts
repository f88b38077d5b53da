import {
  type Beyond,
  type CommandRequest,
  type CommandResult,
  type Executor,
  type FileContent,
  FileError,
  type FileStat,
  type Listing,
  type ResolvedPath,
} from "../../bash/executor_handle.ts";
import type { SearchRequest, SearchResult } from "../../bash/search/search.ts";
import type { ConfinementReport } from "../../sandbox/report.ts";
import { parseVersion } from "./editor_text.ts";
import { type EditorAccess, EditorView, MAX_EDITOR_BYTES, type View } from "./editor_view.ts";
import { writeThroughEditor } from "./editor_write.ts";

/**
 * The executor of one call, with the workspace's text files read and written through the client's editor, so that
 * unsaved changes are seen and edits can be reviewed there. What the editor does not do, or does wrong, the
 * executor does. `signal` ends what the editor is asked for.
 */
export function throughEditor(
  inner: Executor,
  access: EditorAccess | undefined,
  signal: AbortSignal,
): Executor {
  return access === undefined ? inner : new EditorExecutor(inner, access, signal);
}

class EditorExecutor implements Executor {
  readonly #inner: Executor;
  readonly #access: EditorAccess;
  readonly #signal: AbortSignal;
  readonly #view: EditorView;

  constructor(inner: Executor, access: EditorAccess, signal: AbortSignal) {
    this.#inner = inner;
    this.#access = access;
    this.#signal = signal;
    this.#view = new EditorView(inner, access, signal);
  }

  get report(): ConfinementReport {
    return this.#inner.report;
  }

  get closed(): boolean {
    return this.#inner.closed;
  }

  run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    return this.#access.trust.command(() => this.#inner.run(request, onOutput, signal), signal);
  }

  async readFile(path: string, maxBytes: number): Promise<FileContent> {
    const seen = await this.#look(path);
    if (seen === undefined) return await this.#inner.readFile(path, maxBytes);
    const bytes = new TextEncoder().encode(seen.text);
    return { ...seen.disk, bytes: bytes.subarray(0, maxBytes), size: bytes.length, version: seen.version };
  }

  /** A part is only read of a file that is too large for the editor. */
  readRange(path: string, from: number, maxBytes: number): Promise<FileContent> {
    return this.#inner.readRange(path, from, maxBytes);
  }

  list(path: string): Promise<Listing> {
    return this.#inner.list(path);
  }

  /** What is not saved is not found. */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    return this.#inner.search(request, signal);
  }

  async stat(path: string): Promise<FileStat> {
    const stat = await this.#inner.stat(path);
    if (stat.kind !== "file" || stat.size > MAX_EDITOR_BYTES) return stat;
    const seen = await this.#look(path).catch((thrown) => {
      if (thrown instanceof FileError) return undefined; // it may be looked at, not read
      throw thrown;
    });
    if (seen === undefined) return stat;
    return { kind: "file", size: new TextEncoder().encode(seen.text).length, version: seen.version };
  }

  async writeFile(path: string, bytes: Uint8Array, ifVersion?: string): Promise<{ version: string }> {
    const { files, trust } = this.#access;
    const written = await trust.use(() =>
      writeThroughEditor({ inner: this.#inner, view: this.#view, files, trust, signal: this.#signal }, {
        path,
        bytes,
        ifVersion,
      })
    );
    return written ?? await this.#inner.writeFile(path, bytes, parseVersion(ifVersion)?.disk ?? ifVersion);
  }

  /** Editors remove no files for an agent: it is done on the disk, and not below a buffer that holds more. */
  async remove(path: string, ifVersion?: string): Promise<void> {
    const expected = parseVersion(ifVersion);
    const seen = await this.#look(path);
    if (expected ? seen && seen.hash !== expected.hash : seen?.unsaved) {
      throw new FileError("changed", `${path} was changed since it was read, on the disk or in the editor`);
    }
    await this.#inner.remove(path, expected?.disk ?? ifVersion);
  }

  resolve(path: string): Promise<ResolvedPath> {
    return this.#inner.resolve(path);
  }

  async watched<T>(work: () => Promise<T>): Promise<T> {
    return await (this.#inner.watched?.(work) ?? work());
  }

  async beyond(command: string, cwd: string): Promise<Beyond | undefined> {
    const found = await this.#inner.beyond?.(command, cwd);
    return found && { ...found, executor: throughEditor(found.executor, this.#access, this.#signal) };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** The file as the editor has it; undefined where the disk alone tells. */
  async #look(path: string): Promise<View | undefined> {
    if (!this.#view.reads) return undefined;
    const seen = await this.#access.trust.use(() => this.#view.look(path));
    return seen?.own === undefined ? undefined : seen;
  }
}
