import { AgentError } from "../../src/errors.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { MemoryStore } from "../../src/session/store/memory_store.ts";

/** A store in memory whose disk can be full. */
export class FullStore extends MemoryStore {
  /** How many more events fit; by default none. */
  room = 0;

  override append(sessionId: string, from: number, events: readonly SessionEvent[]): void {
    if (events.length > this.room) throw new AgentError("store", "disk full");
    this.room -= events.length;
    super.append(sessionId, from, events);
  }
}
