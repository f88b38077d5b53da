import type { AgentContext } from "@agentclientprotocol/sdk";
import { FileError } from "../bash/executor_handle.ts";
import { messageOf, oneLine } from "../errors.ts";
import { EditorFault } from "../session/editor/editor_trust.ts";
import type { EditorFiles } from "../session/ports.ts";
import type { FileMethods } from "./client.ts";

/** Milliseconds that a client may take to give a text. */
const READ_MS = 5_000;
/** Milliseconds that it may take to write one: some format it first, by a language server. */
const WRITE_MS = 20_000;
/** JSON-RPC: method not found. */
const NO_METHOD = -32601;

/** A client's file methods for one session; undefined where it declared none. */
export function clientFiles(
  peer: AgentContext,
  sessionId: string,
  methods: FileMethods,
): EditorFiles | undefined {
  if (!methods.read && !methods.write) return undefined;
  const read = async (path: string, signal: AbortSignal) => {
    const response: unknown = await bounded(
      READ_MS,
      signal,
      (cancel) => peer.request("fs/read_text_file", { sessionId, path }, cancel),
    );
    return textIn(response);
  };
  const write = async (path: string, content: string, signal: AbortSignal) => {
    await bounded(
      WRITE_MS,
      signal,
      (cancel) => peer.request("fs/write_text_file", { sessionId, path, content }, cancel),
    );
  };
  return { read: methods.read ? read : undefined, write: methods.write ? write : undefined };
}

/** A client's or a user's no, in the words that clients have for it; a system call that failed is none. */
const REFUSAL =
  /^(?!.*\b(EACCES|EPERM|os error)\b).*\b(permission denied|denied by|not (allowed|permitted)|rejected by|refused by|declined by)\b/is;

/** Many clients say what happened in `data.details` alone. */
function causeOf(thrown: unknown): string {
  const details = (thrown as { data?: { details?: unknown } } | null)?.data?.details;
  return typeof details === "string" ? oneLine(details) : messageOf(thrown);
}

/** The SDK does not check responses. */
function textIn(response: unknown): string {
  const content = (response as { content?: unknown } | null)?.content;
  if (typeof content === "string") return content;
  throw new EditorFault("its answer holds no text", true);
}

interface Cancelling {
  readonly cancellationSignal: AbortSignal;
  readonly stopWaitingOnCancel: true;
}

/** Asks the client; when the answer does not come in time, or `signal` is aborted, the request is cancelled. */
async function bounded<T>(
  ms: number,
  signal: AbortSignal,
  ask: (cancel: Cancelling) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    const cancellationSignal = AbortSignal.any([signal, late.signal]);
    return await ask({ cancellationSignal, stopWaitingOnCancel: true });
  } catch (thrown) {
    signal.throwIfAborted();
    if (late.signal.aborted) throw new EditorFault(`it did not answer within ${ms / 1000} s`, true);
    const cause = causeOf(thrown);
    // Whoever says no is no broken client: what it refuses is not done on the disk behind its back.
    if (REFUSAL.test(cause)) throw new FileError("denied", `the editor refused it: ${cause}`);
    throw new EditorFault(cause, (thrown as { code?: unknown } | null)?.code === NO_METHOD);
  } finally {
    clearTimeout(timer);
  }
}
