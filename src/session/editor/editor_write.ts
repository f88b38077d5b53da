import { type Executor, FileError } from "../../bash/executor_handle.ts";
import { inEditorForm, inFileForm, isCrlf, isFormatted, parseVersion, plain, textOf } from "./editor_text.ts";
import { EditorFault, type EditorTrust } from "./editor_trust.ts";
import { type EditorView, MAX_EDITOR_BYTES, type View } from "./editor_view.ts";
import type { EditorFiles } from "../ports.ts";

/** Milliseconds between the looks for what the editor says it wrote: some answer before they have saved. */
const PATIENCE_MS: readonly number[] = [0, 100, 300];

/** What a write is made with. */
export interface EditorWriteDeps {
  readonly inner: Executor;
  readonly view: EditorView;
  readonly files: EditorFiles;
  readonly trust: EditorTrust;
  readonly signal: AbortSignal;
}

/** See `Executor.writeFile`. */
export interface EditorWriteRequest {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly ifVersion: string | undefined;
}

/** A write for which nothing stands in the way. */
interface Change extends EditorWriteRequest {
  readonly text: string;
  /** Undefined for a file that is not there yet. */
  readonly before: View | undefined;
}

/**
 * Writes a text file through the editor and looks whether it did; where not, writes it on the disk. Undefined, and
 * nothing done, for what only the executor deals with, be it to refuse it.
 * @throws FileError("changed") when file or buffer are not what `ifVersion` says; an abort.
 */
export async function writeThroughEditor(
  deps: EditorWriteDeps,
  request: EditorWriteRequest,
): Promise<{ version: string } | undefined> {
  const text = request.bytes.length > MAX_EDITOR_BYTES ? undefined : textOf(request.bytes);
  const before = await present(deps, request.path);
  if (before === undefined || !isExpected(request, before)) return undefined;
  const change = { ...request, text: text ?? "", before: before === "missing" ? undefined : before };
  const at = text === undefined ? undefined : await placeOf(deps, change);
  return at === undefined ? await writeToDisk(deps, change) : await write(deps, change, at);
}

/** What stands at a path now; undefined when it is no business of the editor. */
async function present(
  { inner, view }: EditorWriteDeps,
  path: string,
): Promise<View | "missing" | undefined> {
  if ((await inner.stat(path)).kind === "missing") return "missing";
  try {
    return await view.look(path);
  } catch (thrown) {
    if (thrown instanceof FileError) return undefined;
    throw thrown;
  }
}

/**
 * Is the file what the write is meant for? False for a disk that is not, of which the executor tells.
 * @throws FileError for a buffer that is not.
 */
function isExpected({ path, ifVersion }: EditorWriteRequest, before: View | "missing"): boolean {
  const seen = parseVersion(ifVersion);
  if (ifVersion === undefined) return true;
  if (before === "missing") return ifVersion === "missing";
  const isSameDisk = before.disk.version === (seen?.disk ?? ifVersion);
  if (before.own === undefined) return isSameDisk;
  if (seen === undefined) {
    if (isSameDisk && before.unsaved) {
      throw new FileError("changed", `${path} has unsaved changes in the editor: read it again`);
    }
    return isSameDisk;
  }
  // The same text on another disk version: its buffer was saved. But what changed below a buffer must not be lost.
  if (seen.hash === before.hash && (isSameDisk || !before.unsaved)) return true;
  throw new FileError("changed", `${path} was changed since it was read, on the disk or in the editor`);
}

/** The path to write by through the editor; it is not relied on to make directories. */
async function placeOf(deps: EditorWriteDeps, { path, before }: Change): Promise<string | undefined> {
  const { inner, view, files, trust } = deps;
  if (files.write === undefined || !trust.trusts("write")) return undefined;
  // A client that can show its buffers and does not: what it holds unsaved would be overwritten unseen.
  if (files.read !== undefined && before !== undefined && before.own === undefined) return undefined;
  const at = await view.place(path, "writable");
  if (at === undefined || before !== undefined) return at;
  const { path: real } = await inner.resolve(path);
  const parent = await inner.stat(real.slice(0, real.lastIndexOf("/")) || "/");
  return parent.kind === "directory" ? at : undefined;
}

async function write(deps: EditorWriteDeps, change: Change, at: string): Promise<{ version: string }> {
  const { inner, view, files, signal } = deps;
  const { text, before } = change;
  const own = before?.own === undefined ? text : inEditorForm(text, before.own, before.onDisk);
  const ask = () => files.write!(at, own, signal);
  try {
    await (inner.watched?.(ask) ?? ask());
  } catch (thrown) {
    if (thrown instanceof FileError) throw thrown;
    view.failed("write", at, thrown);
    return await writeToDisk(deps, change);
  }
  return await confirm(deps, change, at);
}

/** Waits for the text to show, on the disk or in the editor; when it does not, it is written on the disk. */
async function confirm(deps: EditorWriteDeps, change: Change, at: string): Promise<{ version: string }> {
  let before = change.before;
  for (const ms of PATIENCE_MS) {
    await pause(ms, deps.signal);
    const after = await present(deps, change.path);
    if (after === undefined || after === "missing") continue;
    before = after; // whatever stands there now is what the editor made of the text
    const lost = lostForm(change, after);
    if (lost !== undefined) {
      return await deps.inner.writeFile(change.path, new TextEncoder().encode(lost), after.disk.version);
    }
    if (isThere(change, after)) return { version: after.version };
  }
  const lie = "it said that it did, but neither the disk nor the editor holds the text";
  deps.view.failed("write", at, new EditorFault(lie, true));
  return await writeToDisk(deps, { ...change, before });
}

/** The text that the disk should hold where the editor saved it without the file's own line ends or mark. */
function lostForm({ text, before }: Change, { onDisk }: View): string | undefined {
  if (before === undefined || onDisk === text) return undefined;
  if (plain(onDisk) === plain(text)) return text;
  const isFlat = isCrlf(before.onDisk) && onDisk.includes("\n") && !onDisk.includes("\r");
  return isFlat && isFormatted(onDisk, text) ? inFileForm(onDisk, before.onDisk) : undefined;
}

/** Does the file hold the text, as it is or as the editor formatted it? */
function isThere({ text, before }: Change, { disk, onDisk, own }: View): boolean {
  if (plain(onDisk) === plain(text) || own !== undefined && plain(own) === plain(text)) return true;
  const isSaved = disk.version !== before?.disk.version;
  const isTaken = own !== undefined && own !== before?.own;
  return isSaved && isFormatted(onDisk, text) || isTaken && isFormatted(own, text);
}

async function writeToDisk(
  deps: EditorWriteDeps,
  { path, bytes, before }: Change,
): Promise<{ version: string }> {
  return await deps.inner.writeFile(path, bytes, before?.disk.version ?? "missing");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
