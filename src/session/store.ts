import type { LoggedEvent, SessionEvent } from "./event.ts";

/**
 * Where the logs of sessions are kept.
 *
 * Contract: `append` is all or nothing and returns only when a killed process could no longer lose the
 * events; with `durable` also when a power cut could not. Numbers follow each other without gaps. Throws
 * `AgentError("store")` that names the cause and the mend.
 */
export interface SessionStore {
  /** Appends events behind event `from - 1`. */
  append(sessionId: string, from: number, events: readonly SessionEvent[], durable: boolean): void;
  /** The whole log of a session in order; empty when there is none. */
  read(sessionId: string): LoggedEvent[];
  close(): void;
}
