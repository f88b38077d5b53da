import type { Executor } from "../../bash/executor_handle.ts";
import { boundedChange, type FileChange, type Hunk } from "./hunks.ts";
import { seenAs } from "./seen.ts";
import { contentHash } from "./text_file.ts";

/** A change of a file before it is made. */
export interface PlannedChange {
  readonly path: string;
  readonly created: boolean;
  /** Empty: the file would stay as it is. */
  readonly hunks: readonly Hunk[];
  /** The whole new content. */
  readonly bytes: Uint8Array;
  /** The version of the file that this is true for. */
  readonly version: string;
  /** Does the model know all of the new content? */
  readonly known: boolean;
}

/** What a changed file's card is drawn from, as logged: with it goes what the model has seen of the file. */
export type ChangeFacts = FileChange & { readonly seen?: { path: string; hash: string } };

/** The change as it is shown to the user who is asked. Pure. */
export function shownChange({ path, created, hunks }: PlannedChange): FileChange {
  return boundedChange(path, created, hunks);
}

/** Makes the change: what was planned is what is written, or nothing is. @throws FileError */
export async function makeChange(executor: Executor, change: PlannedChange): Promise<ChangeFacts> {
  if (change.hunks.length > 0 || change.created) {
    await executor.writeFile(change.path, change.bytes, change.version);
  }
  return {
    ...shownChange(change),
    ...(change.known ? seenAs(change.path, await contentHash(change.bytes)) : {}),
  };
}
