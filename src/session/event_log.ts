import { AgentError } from "../errors.ts";
import { ChangedFiles } from "./undo/changed_files.ts";
import type { LoggedEvent, SessionEvent } from "./event.ts";
import { History } from "./history.ts";
import { SeenFiles } from "./seen_files.ts";
import type { SessionStore } from "./store/store.ts";
import { type Topic, TopicMeter } from "./title/topic.ts";

/** Where a log keeps its events. */
export type LogStore = Pick<SessionStore, "append" | "read">;

/** Called with each event right after it was logged; must not throw. */
export type EventListener = (event: SessionEvent) => void;

/**
 * One session's log while the session is open: appends to the store, feeds the model's history, tells the
 * listeners. What is put in before the first stored event stays in memory, so that a session that is opened
 * and never prompted leaves no trace.
 */
export class EventLog {
  readonly history: History = new History();
  readonly seen: SeenFiles = new SeenFiles();
  readonly changes: ChangedFiles = new ChangedFiles();
  #store: LogStore | undefined;
  readonly #sessionId: string;
  readonly #listeners = new Set<EventListener>();
  readonly #callIds = new Set<string>();
  readonly #topic = new TopicMeter();
  #jobs = 0;
  #next: number;
  #unstored: SessionEvent[] = [];

  /** A log that continues what was read from `store`, or one that is new and gets its store by `attach`. */
  constructor(sessionId: string, store?: LogStore, logged: readonly LoggedEvent[] = []) {
    this.#sessionId = sessionId;
    this.#store = store;
    this.#next = logged.length;
    for (const { event } of logged) this.#project(event);
  }

  /** Gives a new log its store; before that nothing can be appended. */
  attach(store: LogStore): void {
    this.#store = store;
  }

  /** Adds an event that is stored with the next appended one, or never. */
  prepare(event: SessionEvent): void {
    this.#unstored.push(event);
    this.#project(event);
  }

  /**
   * Logs an event, then tells the listeners. `durable` events survive a power cut.
   * @throws AgentError("store") when it cannot be stored; nobody is told of it then.
   */
  append(event: SessionEvent, durable = false): void {
    if (!this.#store) throw new AgentError("store", "The session's log is not open.");
    const events = [...this.#unstored, event];
    this.#store.append(this.#sessionId, this.#next, events, durable);
    this.#next += events.length;
    this.#unstored = [];
    this.#project(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Everything so far, for a replay. */
  events(): SessionEvent[] {
    const stored = this.#store?.read(this.#sessionId).map((l) => l.event) ?? [];
    return [...stored, ...this.#unstored];
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many background jobs the session has had. */
  get jobs(): number {
    return this.#jobs;
  }

  /** What a title can be written from; see {@linkcode TopicMeter}. */
  get topic(): Topic | undefined {
    return this.#topic.topic;
  }

  /** The id itself, or, where the session has had a call of that name (some servers count anew each reply), a new one. */
  uniqueCallId(id: string): string {
    let unique = id;
    for (let n = 2; this.#callIds.has(unique); n++) unique = `${id}-${n}`;
    return unique;
  }

  #project(event: SessionEvent): void {
    this.history.add(event);
    if (event.type === "tool.drafted" || event.type === "tool.called") this.#callIds.add(event.callId);
    this.#topic.add(event);
    this.seen.add(event);
    this.changes.add(event);
    if (event.type === "job.started") this.#jobs++;
  }
}
