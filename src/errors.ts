/** What went wrong, as seen from outside; `src/acp/errors.ts` maps each kind to one JSON-RPC code. */
export type ErrorKind =
  | "auth-required"
  | "invalid-params"
  | "session-not-found"
  | "cancelled"
  | "model"
  | "sandbox"
  | "store"
  | "config"
  | "usage"
  | "internal";

/** Extra facts for {@linkcode AgentError}. */
export interface AgentErrorOptions extends ErrorOptions {
  /** JSON facts for the other side, never secrets. */
  data?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class of the agent. Its message is one line, names the cause and, where there is one, the
 * mend; it is shown to people, so it never holds a key, a header or a stack.
 */
export class AgentError extends Error {
  /** The class's name, for logs. */
  override readonly name = "AgentError";
  /** What went wrong. */
  readonly kind: ErrorKind;
  /** JSON facts for the other side. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  /** Folds `message` to one line. */
  constructor(kind: ErrorKind, message: string, options: AgentErrorOptions = {}) {
    super(oneLine(message), options);
    this.kind = kind;
    this.data = options.data;
  }
}

/** Folds a text to one line of at most `max` characters (code units). */
export function oneLine(text: string, max = 600): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : line.slice(0, max - 1) + "…";
}

/** The one-line message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return oneLine(thrown instanceof Error ? thrown.message || thrown.name : String(thrown));
}

/** True for the error that an aborted `AbortSignal` throws. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError" ||
    thrown instanceof AgentError && thrown.kind === "cancelled";
}

/** Replaces every occurrence of the given secrets (of 6 characters and more) by `***`. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.filter((s) => s.length >= 6).reduce((t, s) => t.replaceAll(s, "***"), text);
}
