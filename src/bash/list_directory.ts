import { type EntryKind, type Listing, MAX_LISTED } from "./executor_handle.ts";

/** Names that are held to be sorted; a directory may have millions. */
const MAX_SORTED = 100_000;

/** The names in the directory at a real path, sorted by code points; those beyond the bound are counted. */
export async function listDirectory(path: string): Promise<Listing> {
  const found: { name: string; kind: EntryKind }[] = [];
  let more = 0;
  for await (const entry of Deno.readDir(path)) {
    if (found.length < MAX_SORTED) found.push({ name: entry.name, kind: kindOf(entry) });
    else more++;
  }
  found.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  more += Math.max(0, found.length - MAX_LISTED);
  return { entries: found.slice(0, MAX_LISTED), more };
}

function kindOf(entry: Deno.DirEntry): EntryKind {
  if (entry.isSymlink) return "link";
  return entry.isDirectory ? "directory" : entry.isFile ? "file" : "other";
}
