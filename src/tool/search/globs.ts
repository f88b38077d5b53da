import { globToRegExp } from "@std/path/glob-to-regexp";
import { resolve } from "@std/path/resolve";

/** Where a glob searches, and which paths below that it matches. */
export interface GlobSearch {
  /** Absolute. */
  readonly root: string;
  /** Source of a regular expression for paths below `root`. */
  readonly matching: string;
}

/** What makes a part of a path more than a name. */
const MAGIC = /[*?[{\\]|[+@!]\(/;

/**
 * Reads a glob as models write it: relative to `base` or absolute, with leading directories or without. What leads
 * up to the first part with a wildcard is where the search begins; a glob of one part is for any depth.
 */
export function globSearch(glob: string, base: string): GlobSearch {
  const parts = glob.split("/");
  const isAnchored = parts.length > 1;
  const named: string[] = [];
  while (parts.length > 1 && !MAGIC.test(parts[0]!)) named.push(parts.shift()!);
  if (/^\.{1,2}$/.test(parts[0]!)) named.push(parts.shift()!);
  const root = resolve(base, glob.startsWith("/") ? "/" : ".", ...named.filter((name) => name !== ""));
  const rest = wholeDirectory(parts.join("/"));
  return { root, matching: matchingOf([isAnchored ? rest : anyDepth(rest)]) };
}

/** How a search of texts is narrowed by a glob: which paths count, and what ripgrep can do with it beforehand. */
export interface GlobFilter {
  readonly matching?: string;
  readonly names?: string;
  readonly without?: string;
}

/**
 * Reads a glob that narrows a search of `root`: relative to it, or to `cwd`, or absolute; several with commas
 * between them; one that begins with `!` leaves out.
 */
export function globFilter(glob: string, root: string, cwd: string): GlobFilter {
  if (glob.startsWith("!")) return { without: glob.slice(1).replace(/^(?:\.\/)+/, "") };
  const joined = /^[^{}]*,[^{}]*$/.test(glob) ? `{${glob}}` : glob.replace(/^(?:\.\/)+/, "");
  if (!joined.includes("/")) return { matching: matchingOf([anyDepth(joined)]), ...namesOf(joined) };
  const above = [`${root}/`, ...(root.startsWith(`${cwd}/`) ? [`${root.slice(cwd.length + 1)}/`] : [])];
  const stripped = above.filter((a) => joined.startsWith(a)).map((a) => joined.slice(a.length));
  const whole = [joined, ...stripped].map((g) => wholeDirectory(g.replace(/^\/+/, "")));
  return { matching: matchingOf(whole), ...namesOf(joined.slice(joined.lastIndexOf("/") + 1)) };
}

/** A directory stands for all that is in it. */
function wholeDirectory(glob: string): string {
  return glob === "" || glob.endsWith("/") ? `${glob}**` : glob;
}

function anyDepth(glob: string): string {
  return `**/${glob}`;
}

/** The last part of a glob, where ripgrep is sure to read it in the same way. */
function namesOf(part: string): { names?: string } {
  const isPlain = /^[\w.*?{},@ -]+$/.test(part) && /^[^{}]*(?:\{[^{}]+\}[^{}]*)*$/.test(part);
  return isPlain && part !== "**" && !part.includes("**") ? { names: part } : {};
}

/** Brackets are as often a part of a name (`app/[id]/page.tsx`) as they are a class: both count. */
function matchingOf(globs: readonly string[]): string {
  const all = globs.flatMap((g) => g.includes("[") ? [g, g.replace(/[[\]]/g, "\\$&")] : [g]);
  return all.map((g) => globToRegExp(g, { os: "linux" }).source).join("|");
}
