import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { merged } from "./merge.ts";

/** Updates of one session that wait; past this many the session is asked to pause. */
const HIGH_WATER = 64;

/** Sends one update; resolves when it is written, so that a slow reader slows us down. */
export type Send = (sessionId: string, update: SessionUpdate) => Promise<void>;

/**
 * The way out for updates: in order within a session, sessions in turn, one at a time. What waits for a
 * slow client is merged where it only appends text. Once sending fails the client is gone: everything is
 * dropped and every wait resolves. Never throws or rejects.
 */
export class Outbox {
  readonly #send: Send;
  readonly #queues = new Map<string, SessionUpdate[]>();
  readonly #waiting = new Map<string, { limit: number; resolve: () => void }[]>();
  #sending: string | undefined;
  #dead = false;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Puts an update behind those of its session. */
  push(sessionId: string, update: SessionUpdate): void {
    if (this.#dead) return;
    const queue = this.#queues.get(sessionId) ?? [];
    const last = queue.at(-1);
    const both = last && merged(last, update);
    if (both) queue[queue.length - 1] = both;
    else queue.push(update);
    this.#queues.set(sessionId, queue);
    if (this.#sending === undefined) void this.#drain();
  }

  /** Resolves when all updates of the session so far are written. */
  flushed(sessionId: string): Promise<void> {
    return this.#until(sessionId, 0);
  }

  /** Resolves when the session may send more. */
  ready(sessionId: string): Promise<void> {
    return this.#until(sessionId, HIGH_WATER);
  }

  /** Drops everything: the client is gone. */
  close(): void {
    this.#dead = true;
    this.#queues.clear();
    for (const waits of this.#waiting.values()) waits.forEach((w) => w.resolve());
    this.#waiting.clear();
  }

  #until(sessionId: string, limit: number): Promise<void> {
    if (this.#dead || this.#backlog(sessionId) <= limit) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(sessionId, [...this.#waiting.get(sessionId) ?? [], { limit, resolve }]);
    });
  }

  /** Updates of the session that are not written yet, the one being written included. */
  #backlog(sessionId: string): number {
    return (this.#queues.get(sessionId)?.length ?? 0) + (this.#sending === sessionId ? 1 : 0);
  }

  async #drain(): Promise<void> {
    for (let id = this.#next(); id !== undefined && !this.#dead; id = this.#next()) {
      const queue = this.#queues.get(id)!;
      const update = queue.shift()!;
      // Behind all others, so that the next round is another session's.
      this.#queues.delete(id);
      if (queue.length > 0) this.#queues.set(id, queue);
      this.#sending = id;
      try {
        await this.#send(id, update);
      } catch {
        this.close();
      }
      this.#sending = undefined;
      this.#wake(id);
    }
  }

  #next(): string | undefined {
    return this.#queues.keys().next().value;
  }

  #wake(sessionId: string): void {
    const waits = this.#waiting.get(sessionId) ?? [];
    const backlog = this.#backlog(sessionId);
    const still = waits.filter((w) => backlog > w.limit);
    waits.filter((w) => backlog <= w.limit).forEach((w) => w.resolve());
    if (still.length > 0) this.#waiting.set(sessionId, still);
    else this.#waiting.delete(sessionId);
  }
}
