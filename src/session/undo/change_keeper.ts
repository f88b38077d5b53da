import type { Executor, FileContent } from "../../bash/executor_handle.ts";
import { MAX_FILE_BYTES } from "../../bash/wire.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { contentHash } from "../../tool/file/text_file.ts";
import { parseVersion } from "../editor/editor_text.ts";
import type { FileBefore, SessionEvent } from "../event.ts";
import { Slots } from "../child/slots.ts";
import type { Snapshots } from "./snapshots.ts";

/** What {@linkcode ChangeKeeper} is made of. */
export interface ChangeKeeperDeps {
  readonly turn: string;
  readonly snapshots: Snapshots;
  /** Logs in the session's own log, also what its children change. */
  readonly append: (event: SessionEvent) => void;
  readonly log: Log;
}

/** Files as a call has read them: what a write that is based on such a version replaces. */
type Reads = Map<string, FileContent>;

/**
 * Keeps, for one turn, what files held before its file tools changed them, and logs that they do. A content that
 * cannot be kept is no reason not to make the change: the log then says so.
 */
export class ChangeKeeper {
  readonly #deps: ChangeKeeperDeps;
  /** Files whose content of before the turn is logged. */
  readonly #known = new Set<string>();
  /** One at a time, so that a file's first change is the first one in the log. */
  readonly #slot = new Slots(1);

  constructor(deps: ChangeKeeperDeps) {
    this.#deps = deps;
  }

  /** Makes the executors of one call keep what they write over. */
  forCall(): (inner: Executor) => Executor {
    const reads: Reads = new Map();
    return (inner) => this.#keeping(inner, reads);
  }

  #keeping(inner: Executor, reads: Reads): Executor {
    const keeping = (each: Executor) => this.#keeping(each, reads);
    return {
      report: inner.report,
      get closed() {
        return inner.closed;
      },
      run: (request, onOutput, signal) => inner.run(request, onOutput, signal),
      readFile: async (path, maxBytes) => {
        const content = await inner.readFile(path, maxBytes);
        reads.set(path, content);
        return content;
      },
      readRange: (path, from, maxBytes) => inner.readRange(path, from, maxBytes),
      writeFile: async (path, bytes, ifVersion) => {
        const after = await contentHash(bytes);
        const before = () => contentBefore(inner, path, ifVersion, reads);
        await this.#slot.run(() => this.#changing(path, after, before), NEVER);
        const written = await inner.writeFile(path, bytes, ifVersion);
        this.#changed(path, after, written.version);
        return written;
      },
      remove: (path, ifVersion) => inner.remove(path, ifVersion),
      stat: (path) => inner.stat(path),
      search: (request, signal) => inner.search(request, signal),
      list: (path) => inner.list(path),
      resolve: (path) => inner.resolve(path),
      watched: (work) => inner.watched?.(work) ?? work(),
      beyond: async (command, cwd) => {
        const found = await inner.beyond?.(command, cwd);
        return found && { ...found, executor: keeping(found.executor) };
      },
      close: () => inner.close(),
    };
  }

  async #changing(path: string, after: string, contentOf: () => Promise<Uint8Array | null>): Promise<void> {
    const isFirst = !this.#known.has(path);
    const before = isFirst ? { before: await this.#keep(path, contentOf) } : {};
    this.#deps.append({ type: "file.changed", path, ...before, after });
    this.#known.add(path);
  }

  async #keep(path: string, contentOf: () => Promise<Uint8Array | null>): Promise<FileBefore> {
    const { snapshots, turn, log } = this.#deps;
    try {
      const content = await contentOf();
      return { kept: content === null ? null : await snapshots.keep(turn, content) };
    } catch (e) {
      log.warn("what a file held before its change is not kept", { path, cause: messageOf(e) });
      return { lost: messageOf(e) };
    }
  }

  /** Logs what came of a write where it is not what was written: the editor may have formatted it. */
  #changed(path: string, planned: string, version: string): void {
    // The two hashes are of the same kind; the editor's is not shortened.
    const after = parseVersion(version)?.hash.slice(0, planned.length) ?? planned;
    if (after !== planned) this.#deps.append({ type: "file.changed", path, after });
  }
}

/** Changes are short and never given up in their middle. */
const NEVER = new AbortController().signal;

/** The whole content of the version that is replaced; null where there is no file. @throws Error */
async function contentBefore(
  inner: Executor,
  path: string,
  version: string | undefined,
  reads: Reads,
): Promise<Uint8Array | null> {
  if (version === "missing") return null;
  const read = reads.get(path);
  const isThat = read !== undefined && read.version === version && read.size === read.bytes.length;
  const { bytes, size } = isThat ? read : await inner.readFile(path, MAX_FILE_BYTES);
  if (size > bytes.length) throw new Error(`it had more than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  return bytes;
}
