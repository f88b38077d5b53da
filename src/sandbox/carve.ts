/** What stands in a directory, without its symlinks; undefined when it cannot be read. */
export type ListDirectory = (directory: string) => readonly Granted[] | undefined;

/** A path and what stands there. */
export interface Granted {
  readonly path: string;
  readonly isDirectory: boolean;
}

/**
 * Paths that together cover the whole file system except everything at or below the `secret` places, since
 * Landlock has no rule that denies. What cannot be listed is left out: nothing is granted there. `secret` must be
 * real paths; symlinks need no rule, the kernel looks at what they lead to.
 */
export function carve(secret: readonly string[], list: ListDirectory = listDirectory): Granted[] {
  const secrets = new Set(secret);
  const opened = new Set(secret.flatMap(ancestors));
  const granted: Granted[] = [];
  const visit = (entry: Granted): void => {
    if (secrets.has(entry.path)) return;
    if (!opened.has(entry.path)) granted.push(entry);
    else list(entry.path)?.forEach(visit);
  };
  visit({ path: "/", isDirectory: true });
  return granted;
}

/** The directories above a path, `/` first. */
function ancestors(path: string): string[] {
  const above = ["/"];
  for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) above.push(path.slice(0, at));
  return above;
}

function listDirectory(directory: string): readonly Granted[] | undefined {
  const prefix = directory === "/" ? "/" : directory + "/";
  try {
    return [...Deno.readDirSync(directory)]
      .filter((entry) => !entry.isSymlink)
      .map(({ name, isDirectory }) => ({ path: prefix + name, isDirectory }));
  } catch {
    return undefined;
  }
}
