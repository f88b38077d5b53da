import { mayRead, mayWrite } from "../sandbox/access.ts";
import { EACCES, ENOENT, EPERM, SyscallError } from "../sandbox/libc.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { ReadOutcome } from "../sandbox/read_file.ts";
import { type FileContent, FileError, type FileStat, type Listing } from "./executor_handle.ts";
import { listDirectory } from "./list_directory.ts";
import { readByDeno } from "./read_by_deno.ts";
import { MAX_FILE_BYTES } from "./wire.ts";

/** Tells two states of a file apart; see `FileStat.version`. */
export type VersionOf = (path: string, info: Deno.FileInfo) => string;

/** Reads at most `maxBytes` of a regular file at a real path, without ever waiting for anything else. */
export type ReadFile = (path: string, from: number, maxBytes: number) => ReadOutcome | Promise<ReadOutcome>;

/** What a write puts in place of what. */
export interface WriteRequest {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly ifVersion?: string | undefined;
  /** Name, without a directory, of the file that is written first and then renamed. */
  readonly tempName: string;
}

/**
 * The file operations of one executor, under its policy. The kernel enforces it anyway where it can; here it is
 * checked on the real path, so that the fault is a clear one. All throw {@linkcode FileError}.
 */
export class Files {
  readonly #policy: Policy;
  readonly #versionOf: VersionOf;
  readonly #reader: ReadFile;

  constructor(policy: Policy, versionOf: VersionOf, reader: ReadFile = readByDeno) {
    this.#policy = policy;
    this.#versionOf = versionOf;
    this.#reader = reader;
  }

  /** At most `maxBytes` of a regular file, from byte `from` on. */
  async read(path: string, from: number, maxBytes: number): Promise<FileContent> {
    if (maxBytes > MAX_FILE_BYTES) throw new FileError("too-large", tooLarge(path));
    return await this.#faults(path, async () => {
      const real = await this.#readable(path);
      const before = await Deno.stat(real);
      expectRegular(path, before);
      // Taken first: if the file is replaced while it is read, a later write finds it changed, never lost.
      const version = this.#versionOf(real, before);
      const found = await this.#reader(real, from, maxBytes);
      if (found.kind !== "file") throw kindFault(path, found.kind);
      const readOnly = before.mode !== null && (before.mode & 0o222) === 0;
      return { bytes: found.bytes, size: found.size, version, ...(readOnly ? { readOnly } : {}) };
    });
  }

  /** Where a search may begin: the real path of a file or a directory. */
  async searchable(path: string): Promise<{ real: string; isDirectory: boolean }> {
    return await this.#faults(path, async () => {
      const real = await this.#readable(path);
      const { isFile, isDirectory } = await Deno.stat(real);
      if (!isFile && !isDirectory) throw kindFault(path, "other");
      return { real, isDirectory };
    });
  }

  async stat(path: string): Promise<FileStat> {
    return await this.#faults(path, async () => {
      const info = await Deno.stat(path).catch((e) => {
        if (e instanceof Deno.errors.NotFound || e instanceof Deno.errors.NotADirectory) return undefined;
        throw e;
      });
      if (info === undefined) return { kind: "missing", size: 0, version: MISSING };
      const kind = info.isFile ? "file" : info.isDirectory ? "directory" : "other";
      return { kind, size: info.size, version: this.#versionOf(path, info) };
    });
  }

  async list(path: string): Promise<Listing> {
    return await this.#faults(path, async () => {
      const real = await this.#readable(path);
      if (!(await Deno.stat(real)).isDirectory) {
        throw new FileError("not-directory", `${path} is no directory`);
      }
      return await listDirectory(real);
    });
  }

  /** Where a write to `path` would end up. */
  async resolve(path: string): Promise<string> {
    return await this.#faults(path, () => realTarget(path));
  }

  /** See `Executor.writeFile`. */
  async write(request: WriteRequest): Promise<{ version: string }> {
    const { path } = request;
    if (request.bytes.length > MAX_FILE_BYTES) throw new FileError("too-large", tooLarge(path));
    return await this.#faults(path, async () => {
      const target = await this.#writable(path);
      const before = await this.#expect(path, target, request.ifVersion);
      const directory = target.slice(0, target.lastIndexOf("/")) || "/";
      if (before === undefined) await Deno.mkdir(directory, { recursive: true });
      await this.#replace(request, target, `${directory}/${request.tempName}`, before);
      return { version: this.#versionOf(target, await Deno.stat(target)) };
    });
  }

  /** See `Executor.remove`. */
  async remove(path: string, ifVersion: string | undefined): Promise<void> {
    await this.#faults(path, async () => {
      const target = await this.#writable(path);
      const found = await this.#expect(path, target, ifVersion);
      if (found === undefined) throw new FileError("not-found", `${path}: no such file`);
      await Deno.remove(target);
    });
  }

  async #replace(
    request: WriteRequest,
    target: string,
    temp: string,
    before: Deno.FileInfo | undefined,
  ): Promise<void> {
    try {
      await Deno.writeFile(temp, request.bytes, { createNew: true, mode: 0o666 });
      if (before !== undefined && !await keepOwner(temp, before)) {
        // Not ours to give away: what stays in place keeps its owner.
        await this.#expect(request.path, target, request.ifVersion);
        return await Deno.writeFile(target, request.bytes, { create: false });
      }
      await this.#expect(request.path, target, request.ifVersion);
      if (request.ifVersion === MISSING) await linkNew(temp, target, request.path);
      else await Deno.rename(temp, target);
    } finally {
      await Deno.remove(temp).catch(() => {});
    }
  }

  /** What stands at `target` now; throws when it is no regular file or not of the expected version. */
  async #expect(
    path: string,
    target: string,
    version: string | undefined,
  ): Promise<Deno.FileInfo | undefined> {
    const info = await Deno.lstat(target).catch((e) => {
      if (e instanceof Deno.errors.NotFound) return undefined;
      throw e;
    });
    if (info !== undefined) expectRegular(path, info);
    if (version === undefined) return info;
    const actual = info === undefined ? MISSING : this.#versionOf(target, info);
    if (actual === version) return info;
    if (version === MISSING) throw new FileError("exists", `${path} exists already`);
    throw new FileError("changed", `${path} changed since it was read`);
  }

  async #readable(path: string): Promise<string> {
    const real = await Deno.realPath(path);
    if (!mayRead(this.#policy, real)) throw new FileError("denied", `${path} is a place of secrets`);
    return real;
  }

  async #writable(path: string): Promise<string> {
    const real = await realTarget(path);
    if (!mayWrite(this.#policy, real)) {
      throw new FileError("denied", `${path} lies outside of what may be written (${this.#policy.preset})`);
    }
    return real;
  }

  async #faults<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw thrown instanceof FileError ? thrown : fileErrorOf(path, thrown);
    }
  }
}

/** The version of what does not exist. */
export const MISSING = "missing";

/** Symlinks that are followed one after the other before a loop is assumed. */
const MAX_LINKS = 40;

/**
 * Where a write to `path` ends up: its symlinks are followed also when their target does not exist yet, and so
 * are those in the directories above it.
 */
async function realTarget(path: string): Promise<string> {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const [directory, name] = splitPath(at);
    if (name === "..") return await Deno.realPath(at); // a link to a directory above
    at = `${await realDirectory(directory)}/${name}`.replace(/^\/\//, "/");
    const info = await Deno.lstat(at).catch(() => undefined);
    if (!info?.isSymlink) return at;
    at = linkTarget(at, await Deno.readLink(at));
  }
  throw new FileError("failed", `${path} is a loop of symlinks`);
}

/** What the text of a symlink at `path` means. */
function linkTarget(path: string, link: string): string {
  return link.startsWith("/") ? link : `${path.slice(0, path.lastIndexOf("/"))}/${link}`;
}

/**
 * The real path of a directory whose last parts may not exist yet, or be links to what does not; those must hold no
 * `..`.
 */
async function realDirectory(path: string, links: number = MAX_LINKS): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound) || path === "/") throw thrown;
    const [parent, name] = splitPath(path);
    if (name === "..") throw thrown;
    const real = `${await realDirectory(parent, links)}/${name}`.replace(/^\/\//, "/");
    if (!(await Deno.lstat(real).catch(() => undefined))?.isSymlink || links === 0) return real;
    return await realDirectory(linkTarget(real, await Deno.readLink(real)), links - 1);
  }
}

function splitPath(path: string): [directory: string, name: string] {
  const clean = path.replace(/(?<=.)\/+$/, "").replace(/(\/\.)+$/, "");
  const cut = clean.lastIndexOf("/");
  return [clean.slice(0, cut) || "/", clean.slice(cut + 1)];
}

function expectRegular(path: string, info: Deno.FileInfo): void {
  if (!info.isFile) throw kindFault(path, info.isDirectory ? "directory" : "other");
}

function kindFault(path: string, kind: "directory" | "other"): FileError {
  return kind === "directory"
    ? new FileError("is-directory", `${path} is a directory`)
    : new FileError("not-regular", `${path} is no regular file`);
}

/** Gives `temp` the mode and owner of the file that it replaces; false when the owner cannot be given. */
async function keepOwner(temp: string, before: Deno.FileInfo): Promise<boolean> {
  const own = await Deno.stat(temp);
  if (own.uid !== before.uid || own.gid !== before.gid) {
    const given = await Deno.chown(temp, before.uid, before.gid).then(() => true, () => false);
    if (!given) return false;
  }
  if (before.mode !== null) await Deno.chmod(temp, before.mode & 0o7777);
  return true;
}

/** Puts a file where none may be yet: a hard link refuses to replace, `rename` does not. */
async function linkNew(temp: string, target: string, path: string): Promise<void> {
  try {
    await Deno.link(temp, target);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AlreadyExists) throw new FileError("exists", `${path} exists already`);
    await Deno.rename(temp, target); // a file system without hard links
  }
}

function tooLarge(path: string): string {
  return `${path} is over the ${MAX_FILE_BYTES / 1024 / 1024} MiB that are read or written at once`;
}

function fileErrorOf(path: string, thrown: unknown): FileError {
  const fault =
    thrown instanceof Deno.errors.NotFound || thrown instanceof SyscallError && thrown.errno === ENOENT
      ? "not-found"
      : thrown instanceof Deno.errors.PermissionDenied || thrown instanceof Deno.errors.NotCapable ||
          thrown instanceof SyscallError && [EACCES, EPERM].includes(thrown.errno)
      ? "denied"
      : thrown instanceof Deno.errors.IsADirectory
      ? "is-directory"
      : "failed";
  return new FileError(fault, `${path}: ${fault === "not-found" ? "no such file" : causeOf(thrown)}`);
}

const CLOSED = "closed to the file tools: a place of secrets, or one that only bash can look into";

function causeOf(thrown: unknown): string {
  // Deno's own words name its flags.
  if (thrown instanceof Deno.errors.NotCapable) return CLOSED;
  if (thrown instanceof Deno.errors.NotADirectory) return "a part of the path is a file, not a directory";
  return thrown instanceof Error ? thrown.message : String(thrown);
}
