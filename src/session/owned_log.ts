import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { SessionEvent } from "./event.ts";
import type { EventLog } from "./event_log.ts";
import type { SessionLock } from "./store/lock.ts";
import { mendingEvents } from "./store/log_recovery.ts";

/** What an owned log is made of. */
export interface OwnedLogDeps {
  /** The session's, for the program's own log. */
  readonly id: string;
  readonly events: EventLog;
  readonly log: Log;
  /** See `SessionDeps.lock`. */
  readonly lock: SessionLock | (() => Promise<SessionLock>);
}

/** A session's log, with the proof that this process may write it, and what is known of how it was written so far. */
export class OwnedLog {
  readonly #deps: OwnedLogDeps;
  #lock: SessionLock | undefined;
  /** `torn`: it could not be written to a turn's end; the next turn closes first what stayed open. */
  #state: "whole" | "torn" = "whole";

  constructor(deps: OwnedLogDeps) {
    this.#deps = deps;
    this.#lock = typeof deps.lock === "function" ? undefined : deps.lock;
  }

  /** May something be added between two turns? */
  get ready(): boolean {
    return this.#lock !== undefined && this.#state === "whole";
  }

  /** Makes ready for a turn. @throws AgentError("store") when another process owns it, or it cannot be written. */
  async open(): Promise<void> {
    const { lock, events } = this.#deps;
    if (this.#lock === undefined && typeof lock === "function") this.#lock = await lock();
    if (this.#state === "whole") return;
    for (const event of mendingEvents(events.events())) events.append(event);
    this.#state = "whole";
  }

  /** Logs a change of settings. A session that was never prompted has no log: it is stored with its first event. */
  note(event: SessionEvent): void {
    if (this.#lock) this.#deps.events.append(event);
    else this.#deps.events.prepare(event);
  }

  /** Logs the end of a turn that is already answered otherwise: a full disk must not hide the first cause. */
  end(event: SessionEvent): void {
    const { id, events, log } = this.#deps;
    try {
      events.append(event);
    } catch (e) {
      this.tear();
      log.error("cannot log the end of a turn", { session: id, cause: messageOf(e) });
    }
  }

  /** Something of a turn could not be written. */
  tear(): void {
    this.#state = "torn";
  }

  /** Lets others have it. */
  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}
