import type { ProtectedPlace, Treatment } from "../sandbox/git_places.ts";
import { Glance, kindOf, namesIn, stampOf } from "../sandbox/look.ts";

/** Entries of one place that are looked at; what is beyond is not protected. */
const MAX_ENTRIES = 400;
const MAX_DEPTH = 6;

/** What one path of a snapshot held. */
export interface Seen {
  readonly stamp: string;
  readonly as: Treatment;
}

/** Stamps of all that stands at and below protected places. */
export type Snapshot = ReadonlyMap<string, Seen>;

/** One difference between two snapshots. */
export interface Difference {
  readonly path: string;
  readonly as: Treatment;
  readonly how: "added" | "changed" | "removed";
}

/** Looks at all places; opens nothing but directories. */
export function snapshotOf(places: readonly ProtectedPlace[]): Snapshot {
  const seen = new Map<string, Seen>();
  const glance = new Glance();
  for (const { path, as } of places) {
    if (!glance.has(path)) continue;
    visit(path, as, as === "repository" ? 0 : MAX_DEPTH, seen, { left: MAX_ENTRIES });
  }
  return seen;
}

function visit(
  path: string,
  as: Treatment,
  depth: number,
  seen: Map<string, Seen>,
  room: { left: number },
): void {
  const stamp = stampOf(path);
  if (stamp === undefined || room.left-- <= 0) return;
  seen.set(path, { stamp, as });
  if (depth === 0 || !stamp.startsWith("directory")) return;
  for (const name of namesIn(path, MAX_ENTRIES)) visit(`${path}/${name}`, as, depth - 1, seen, room);
}

/** What differs, outer paths first; below an added or removed directory nothing is told by itself. */
export function differences(before: Snapshot, after: Snapshot): Difference[] {
  const found: Difference[] = [];
  const told = new Set<string>();
  const tell = (path: string, as: Treatment, how: Difference["how"]) => {
    if (how !== "changed" && aboveAll(path).some((outer) => told.has(outer))) return;
    if (how !== "changed" && as !== "repository") told.add(path);
    found.push({ path, as, how });
  };
  for (const path of [...after.keys()].sort()) {
    const old = before.get(path);
    const { stamp, as } = after.get(path)!;
    if (old === undefined) tell(path, as, "added");
    else if (old.stamp !== stamp) tell(path, as, "changed");
  }
  for (const path of [...before.keys()].sort()) {
    if (!after.has(path)) tell(path, before.get(path)!.as, "removed");
  }
  return found;
}

function aboveAll(path: string): string[] {
  const above: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    above.push(path.slice(0, at));
  }
  return above;
}

/** Hooks that git never runs, and directories that hold nothing else. */
export function isInert(path: string): boolean {
  const kind = kindOf(path);
  if (kind === "directory") return namesIn(path).every((name) => isInert(`${path}/${name}`));
  return kind === "file" && /\/hooks\/[^/]+\.sample$/.test(path);
}
