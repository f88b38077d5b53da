import { isWithin } from "./paths.ts";

/** The names in a directory that are no symlinks; undefined when it cannot be read. */
export type ListDirectory = (directory: string) => readonly string[] | undefined;

/**
 * Paths that together cover `root` except everything at or below the `secret` places, since Landlock has no
 * rule that denies. What cannot be listed is left out: nothing is granted there. `secret` must be real paths;
 * symlinks need no rule, the kernel looks at what they lead to.
 */
export function carve(
  root: string,
  secret: readonly string[],
  list: ListDirectory = listDirectory,
): string[] {
  if (secret.some((place) => isWithin(root, place))) return [];
  if (!secret.some((place) => isWithin(place, root))) return [root];
  const prefix = root === "/" ? "/" : root + "/";
  return (list(root) ?? []).flatMap((name) => carve(prefix + name, secret, list));
}

function listDirectory(directory: string): readonly string[] | undefined {
  try {
    return [...Deno.readDirSync(directory)].filter((e) => !e.isSymlink).map((e) => e.name);
  } catch {
    return undefined;
  }
}
