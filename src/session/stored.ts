import type { Preset } from "../config/config.ts";
import type { SessionEvent } from "./event.ts";

/** What a session's log says of its settings as they stand at its end. */
export interface Stored {
  /** Empty when it does not say. */
  readonly cwd: string;
  /** The narrowest where it does not say. */
  readonly preset: Preset;
  readonly roots: readonly string[];
}

/** Reads the settings off a log. Pure. */
export function storedSettings(events: readonly SessionEvent[]): Stored {
  let stored: Stored = { cwd: "", preset: "read-only", roots: [] };
  for (const event of events) {
    switch (event.type) {
      case "session.created":
        stored = { ...stored, cwd: event.cwd, preset: event.preset };
        break;
      case "session.moved":
        stored = { ...stored, cwd: event.cwd };
        break;
      case "preset.set":
        stored = { ...stored, preset: event.preset };
        break;
      case "roots.set":
        stored = { ...stored, roots: event.roots };
        break;
    }
  }
  return stored;
}
