import type { LoggedEvent, SessionEvent } from "../event.ts";
import type { Summary } from "./summary.ts";

/** Where a page of a list begins: behind this session. */
export type After = Pick<Summary, "id" | "updated">;

/** Which sessions are wanted; newest first by `updated`, those of the same time by id. */
export interface ListQuery {
  /** Only those whose `cwd` is, letter for letter, one of these. */
  readonly cwds?: readonly string[] | undefined;
  readonly after?: After | undefined;
  readonly limit: number;
}

/**
 * Where the logs of sessions are kept.
 *
 * Contract: `append` is all or nothing and returns only when a killed process could no longer lose the
 * events; with `durable` also when a power cut could not. Numbers follow each other without gaps. A session's
 * summary changes together with its log. Throws `AgentError("store")` that names the cause and the mend; what
 * is wrong with one session's log hides no other session.
 */
export interface SessionStore {
  /** Appends events behind event `from - 1`. */
  append(sessionId: string, from: number, events: readonly SessionEvent[], durable: boolean): void;
  /** The whole log of a session in order; empty when there is none. Throws when any of it cannot be read. */
  read(sessionId: string): LoggedEvent[];
  /** The sessions that were prompted. */
  list(query: ListQuery): Summary[];
  /** All values of `cwd` in the list, each once. */
  cwds(): string[];
  /** One session's summary, prompted or not; undefined when there is none. */
  summary(sessionId: string): Summary | undefined;
  /**
   * Copies the first `count` events of a log to an id that has none yet, and appends `events` behind them;
   * durable, all or nothing.
   */
  copy(from: string, to: string, count: number, events: readonly SessionEvent[]): void;
  /** Removes a session's log and summary; harmless when there are none. */
  remove(sessionId: string): void;
  close(): void;
}
