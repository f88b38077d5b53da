import { seenIn } from "../tool/file/seen.ts";
import type { SessionEvent } from "./event.ts";

/** Which content of each file the model saw last, by reading or changing it: a projection of the log. */
export class SeenFiles {
  readonly #hashes = new Map<string, string>();

  /** Takes the next event. */
  add(event: SessionEvent): void {
    if (event.type !== "tool.ended") return;
    const seen = seenIn(event.facts);
    if (seen) this.#hashes.set(seen.path, seen.hash);
  }

  /** The hash of that content; undefined for a file that was never seen. */
  hashOf(path: string): string | undefined {
    return this.#hashes.get(path);
  }
}
