import type { LoggedEvent, SessionEvent } from "./event.ts";
import type { SessionStore } from "./store.ts";

/** A store that forgets everything when the process ends: for tests, and where the state directory is unusable. */
export class MemoryStore implements SessionStore {
  readonly #logs = new Map<string, LoggedEvent[]>();

  append(sessionId: string, from: number, events: readonly SessionEvent[]): void {
    const log = this.#logs.get(sessionId) ?? [];
    log.push(...events.map((event, i) => ({ seq: from + i, time: Date.now(), event })));
    this.#logs.set(sessionId, log);
  }

  read(sessionId: string): LoggedEvent[] {
    return [...this.#logs.get(sessionId) ?? []];
  }

  close(): void {}
}
