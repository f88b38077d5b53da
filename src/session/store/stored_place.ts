import type { SessionEvent } from "../event.ts";

/** Where a session's log says that it works. */
export interface StoredPlace {
  /** Empty when it does not say. */
  readonly cwd: string;
  /** Further directories of the workspace. */
  readonly roots: readonly string[];
}

/** Reads the place off a log, as it is at its end. Pure. */
export function storedPlace(events: readonly SessionEvent[]): StoredPlace {
  return events.reduce<StoredPlace>((place, event) => {
    switch (event.type) {
      case "session.created":
      case "session.moved":
        return { ...place, cwd: event.cwd };
      case "roots.set":
        return { ...place, roots: event.roots };
      default:
        return place;
    }
  }, { cwd: "", roots: [] });
}
