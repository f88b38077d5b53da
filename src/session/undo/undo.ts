import { type Executor, FileError } from "../../bash/executor_handle.ts";
import { MAX_FILE_BYTES } from "../../bash/wire.ts";
import { contentHash } from "../../tool/file/text_file.ts";
import { code } from "../../tool/view.ts";
import type { ChangedFile, ChangedTurn } from "./changed_files.ts";
import type { FileOutcome, Undone } from "./undone.ts";
import { throughEditor } from "../editor/editor_executor.ts";
import type { Snapshots } from "./snapshots.ts";
import type { TurnDeps } from "../turn.ts";
import { toldText } from "./undo_text.ts";

/** What an undo works with. */
export type UndoDeps = Pick<TurnDeps, "log" | "workbench" | "preset" | "editor"> & {
  readonly snapshots: Snapshots;
};

/**
 * Takes back what the file tools changed in the last turn that changed files and was not taken back; undefined where
 * there is none. Only a file that still is what the turn left is touched. With the rights of an approved edit: the
 * user asked for it. Interrupted, it is taken up again by the next one.
 * @throws AgentError("sandbox") before anything is done; an abort; AgentError("store").
 */
export async function undoLastTurn(deps: UndoDeps, signal: AbortSignal): Promise<Undone | undefined> {
  const { log, workbench, preset, editor } = deps;
  const turn = log.changes.last;
  if (turn === undefined) return undefined;
  const executor = throughEditor(await workbench.executor(preset, "edit"), editor, signal);
  return { turn, files: await undoTurn(deps, executor, turn, signal) };
}

async function undoTurn(
  { log, snapshots }: UndoDeps,
  executor: Executor,
  { turn, files, interrupted }: ChangedTurn,
  signal: AbortSignal,
): Promise<FileOutcome[]> {
  log.append({ type: "undo.started", turn }, true);
  const outcomes: FileOutcome[] = [];
  try {
    // Backwards: a file that the turn changed by two names goes back through both contents.
    for (const file of files.toReversed()) {
      signal.throwIfAborted();
      const outcome = await takeBack(executor, snapshots, turn, file);
      // What is back already may be so by the undo that was broken off.
      if (interrupted || !("unchanged" in outcome)) outcomes.unshift(outcome);
    }
  } finally {
    const text = toldText(outcomes);
    if (text !== undefined) log.append({ type: "told", text });
  }
  const back = outcomes.filter((o) => "back" in o).map(({ path }) => path);
  const left = outcomes.flatMap((o) => "left" in o ? [{ path: o.path, why: o.left }] : []);
  log.append({ type: "undo.done", turn, back, left });
  await snapshots.forget(turn);
  return outcomes;
}

async function takeBack(
  executor: Executor,
  snapshots: Snapshots,
  turn: string,
  { path, before, after }: ChangedFile,
): Promise<FileOutcome> {
  if ("lost" in before) return { path, left: `what it held before could not be kept: ${code(before.lost)}` };
  try {
    const present = await presentOf(executor, path);
    // What lies outside of a confinement may look as if it were not there.
    if (present === undefined && !(await executor.resolve(path)).writable) return { path, left: FORBIDDEN };
    const back = before.kept === null ? "removed" : "restored";
    if ((present?.hash ?? null) === before.kept) return { path, back, unchanged: true };
    if (present === undefined) return { path, left: "it was removed since" };
    if (!after.has(present.hash)) return { path, left: "it was changed since" };
    if (before.kept === null) {
      await executor.remove(path, present.version);
      return { path, back };
    }
    const bytes = await snapshots.read(turn, before.kept);
    if (bytes === undefined) return { path, left: "what it held before is not kept any more" };
    await executor.writeFile(path, bytes, present.version);
    return { path, back };
  } catch (e) {
    if (e instanceof FileError) return { path, left: causeOf(e) };
    throw e;
  }
}

const FORBIDDEN = "it may not be written with the permissions of now";

function causeOf({ fault, message }: FileError): string {
  switch (fault) {
    case "denied":
      return FORBIDDEN;
    case "changed":
    case "exists":
      return "it was changed since";
    case "is-directory":
    case "not-directory":
    case "not-regular":
      return "something else stands there now";
    default:
      return `it cannot be written: ${code(message)}`;
  }
}

/** What a file holds now; undefined where there is none. A longer one than any tool writes has no hash of ours. */
async function presentOf(
  executor: Executor,
  path: string,
): Promise<{ hash: string; version: string } | undefined> {
  try {
    const { bytes, size, version } = await executor.readFile(path, MAX_FILE_BYTES);
    return { hash: size > bytes.length ? "" : await contentHash(bytes), version };
  } catch (e) {
    if (e instanceof FileError && e.fault === "not-found") return undefined;
    throw e;
  }
}
