/** True when `path` is `directory` or lies below it; both absolute and normalized. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : directory + "/");
}

/** Without trailing slashes (but `/` stays). */
export function trimSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

/**
 * The path with every symlink in it resolved, as far as it exists: the missing end of a path is kept as it is
 * written, below the real path of its nearest existing ancestor. Never throws.
 */
export function realPathOrSelf(path: string): string {
  const clean = trimSlash(path);
  try {
    return Deno.realPathSync(clean);
  } catch {
    const cut = clean.lastIndexOf("/");
    if (cut < 0 || clean === "/") return clean;
    const parent = realPathOrSelf(clean.slice(0, cut) || "/");
    return (parent === "/" ? "" : parent) + clean.slice(cut);
  }
}
