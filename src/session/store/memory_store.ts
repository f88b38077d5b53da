import type { LoggedEvent, SessionEvent } from "../event.ts";
import type { ListQuery, SessionStore } from "./store.ts";
import { emptySummary, summarize, type Summary } from "./summary.ts";

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

  list({ cwds, after, limit }: ListQuery): Summary[] {
    return [...this.#logs.keys()].map((id) => this.summary(id)!)
      .filter((s) => s.prompted && (cwds === undefined || cwds.includes(s.cwd)))
      .sort(byLastActivity)
      .filter((s) => after === undefined || byLastActivity(s, after) > 0)
      .slice(0, limit);
  }

  cwds(): string[] {
    return [...new Set(this.list({ limit: Infinity }).map((s) => s.cwd))];
  }

  summary(sessionId: string): Summary | undefined {
    return this.#logs.get(sessionId)?.reduce(summarize, emptySummary(sessionId));
  }

  copy(from: string, to: string, count: number, events: readonly SessionEvent[]): void {
    this.#logs.set(to, this.read(from).slice(0, count));
    this.append(to, count, events);
  }

  remove(sessionId: string): void {
    this.#logs.delete(sessionId);
  }

  close(): void {}
}

type Place = Pick<Summary, "id" | "updated">;

function byLastActivity(a: Place, b: Place): number {
  return b.updated - a.updated || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
