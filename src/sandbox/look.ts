/** What stands at a path, symlinks not followed. */
export type Kind = "file" | "directory" | "symlink" | "other";

/** What stands at `path` itself; undefined when nothing does or it cannot be seen. Opens nothing. */
export function kindOf(path: string): Kind | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (info.isSymlink) return "symlink";
    return info.isFile ? "file" : info.isDirectory ? "directory" : "other";
  } catch {
    return undefined;
  }
}

/** Names in a directory, at most `limit`; none when it cannot be listed. */
export function namesIn(directory: string, limit: number = 2000): string[] {
  try {
    const names: string[] = [];
    for (const { name } of Deno.readDirSync(directory)) {
      if (names.push(name) >= limit) break;
    }
    return names;
  } catch {
    return [];
  }
}

/**
 * Tells two states of what stands at `path` apart, without opening it; undefined when nothing stands there. A
 * directory is told by its inode alone: what is in it is looked at by itself.
 */
export function stampOf(path: string): string | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (info.isDirectory) return `directory ${info.ino}`;
    const link = info.isSymlink ? Deno.readLinkSync(path) : "";
    const times = [info.mtime?.getTime(), info.ctime?.getTime()];
    return [
      info.isFile ? "file" : info.isSymlink ? "symlink" : "other",
      info.ino,
      info.size,
      info.mode,
      ...times,
      link,
    ]
      .join(" ");
  } catch {
    return undefined;
  }
}

/** When the inode at `path` was last changed, in milliseconds of a whole second; programs cannot set it back. */
export function changedAt(path: string): number {
  try {
    return Deno.lstatSync(path).ctime?.getTime() ?? Infinity;
  } catch {
    return Infinity;
  }
}

/**
 * One look at many paths, most of which do not exist: each directory is listed once, since asking for what is not
 * there costs an exception. What changes meanwhile may be missed.
 */
export class Glance {
  readonly #names = new Map<string, ReadonlySet<string>>();

  /** Does something stand at `path`, as far as its directory's names tell? */
  has(path: string): boolean {
    const cut = path.lastIndexOf("/");
    const directory = path.slice(0, cut) || "/";
    let names = this.#names.get(directory);
    if (names === undefined) {
      names = new Set(namesIn(directory, Infinity));
      this.#names.set(directory, names);
    }
    return names.has(path.slice(cut + 1));
  }
}
