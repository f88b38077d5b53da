import { type Executor, type FileContent, FileError } from "../../bash/executor_handle.ts";
import { isAbort, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { isWithin, realPathOrSelf, trimSlash } from "../../sandbox/paths.ts";
import { formatVersion, hashOf, inFileForm, plain, textOf } from "./editor_text.ts";
import { EditorFault, type EditorMethod, type EditorTrust } from "./editor_trust.ts";
import type { EditorFiles } from "../ports.ts";

/** Bytes of the largest file that is read or written through the editor. */
export const MAX_EDITOR_BYTES = 4 * 1024 * 1024;

/** What a session reaches its editor's files with. */
export interface EditorAccess {
  readonly files: EditorFiles;
  readonly trust: EditorTrust;
  /** The workspace's directories, as the client names them. */
  readonly roots: readonly string[];
  readonly log: Log;
}

/** A text file as it was seen at one moment. */
export interface View {
  readonly disk: FileContent;
  /** The disk's text. */
  readonly onDisk: string;
  /** The editor's own text; undefined where it was not, or could not be, asked. */
  readonly own: string | undefined;
  /** What the file holds: the buffer where it has unsaved changes, else the disk. */
  readonly text: string;
  readonly unsaved: boolean;
  /** Stays the same for as long as nobody changes the file or its buffer. */
  readonly version: string;
  readonly hash: string;
}

/** One call's eyes: what the executor and the editor together say of a file. */
export class EditorView {
  readonly #inner: Executor;
  readonly #access: EditorAccess;
  readonly #signal: AbortSignal;

  constructor(inner: Executor, access: EditorAccess, signal: AbortSignal) {
    this.#inner = inner;
    this.#access = access;
    this.#signal = signal;
  }

  /** Is there an editor to read with? */
  get reads(): boolean {
    return this.#access.files.read !== undefined && this.#access.trust.trusts("read");
  }

  /**
   * The path by which the editor knows a file, symlinks resolved; undefined for what is not its business: outside
   * of the workspace, or not allowed by the policy. Those stay with the executor, which refuses them or not.
   */
  async place(path: string, need: "readable" | "writable"): Promise<string | undefined> {
    const resolved = await this.#inner.resolve(path);
    // The editor sees files as this process does: where the executor sees another path, it is not asked.
    if (!resolved[need] || realPathOrSelf(resolved.path) !== resolved.path) return undefined;
    for (const named of this.#access.roots.map(trimSlash)) {
      const real = realPathOrSelf(named);
      // The whole file system is no workspace, and not all in it means to the editor what it means to the executor.
      if (real !== "/" && isWithin(resolved.path, real)) return named + resolved.path.slice(real.length);
    }
    return undefined;
  }

  /** Undefined for files that only the executor deals with. Throws as its `readFile` does. */
  async look(path: string): Promise<View | undefined> {
    const place = await this.place(path, "readable");
    if (place === undefined) return undefined;
    const disk = await this.#inner.readFile(path, MAX_EDITOR_BYTES);
    const onDisk = disk.size > disk.bytes.length ? undefined : textOf(disk.bytes);
    if (onDisk === undefined) return undefined;
    const own = await this.#read(place, onDisk);
    const unsaved = own !== undefined && await this.#isUnsaved(place, own, onDisk);
    const text = unsaved ? inFileForm(own, onDisk) : onDisk;
    const hash = await hashOf(text);
    const version = own === undefined ? disk.version : formatVersion({ hash, disk: disk.version });
    return { disk, onDisk, own, text, unsaved, version, hash };
  }

  /** To be told that a method failed. Throws when the call was cancelled. */
  failed(method: EditorMethod, path: string, cause: unknown): void {
    this.#signal.throwIfAborted();
    if (isAbort(cause)) throw cause;
    const lasting = cause instanceof EditorFault && cause.lasting;
    if (lasting) this.#access.trust.lose(method);
    this.#access.log.warn(`the editor did not ${method} a file, so it was done on the disk`, {
      path,
      cause: messageOf(cause),
      again: lasting ? "never" : "next time",
    });
  }

  async #read(place: string, onDisk: string): Promise<string | undefined> {
    const { read } = this.#access.files;
    if (read === undefined || !this.reads) return undefined;
    try {
      const text = await read(place, this.#signal);
      if (text.length > MAX_EDITOR_BYTES) return undefined;
      if (text !== "" || onDisk === "") return text;
      throw new EditorFault("it answered with no text for a file that holds some", true);
    } catch (thrown) {
      if (thrown instanceof FileError) throw thrown;
      this.failed("read", place, thrown);
      return undefined;
    }
  }

  /** A buffer that still holds what the disk held before is not changed: it only has not been loaded again. */
  async #isUnsaved(place: string, own: string, onDisk: string): Promise<boolean> {
    const { trust } = this.#access;
    const hash = await hashOf(plain(own));
    if (plain(own) !== plain(onDisk)) return !trust.isSettled(place, hash);
    trust.settle(place, hash);
    return false;
  }
}
