import type { SessionEvent } from "../event.ts";

/** What a session's title can be written from. */
export interface Topic {
  readonly asked: string;
  readonly answered: string;
}

/** Characters that are kept of what was asked, and of the answer: a title needs no more. */
const ASKED_CHARS = 2000;
const ANSWERED_CHARS = 1000;

/**
 * What a session is about: a projection of its log, up to the first turn that a model brought to a good end.
 * A session that has a title by then has no topic; nor has a fork, which goes by the title that it took along.
 */
export class TopicMeter {
  #asked = "";
  #answered = "";
  /** Was a model asked in this turn? */
  #called = false;
  #state: "open" | "known" | "titled" = "open";

  /** Takes the next event. */
  add(event: SessionEvent): void {
    if (event.type === "title.set" || event.type === "session.forked") this.#state = "titled";
    if (this.#state === "open") this.#listen(event);
  }

  /** Undefined as long as there is none, and where the session has its title. */
  get topic(): Topic | undefined {
    return this.#state === "known" ? { asked: this.#asked, answered: this.#answered } : undefined;
  }

  #listen(event: SessionEvent): void {
    switch (event.type) {
      case "turn.started":
      case "steered": {
        if (event.type === "turn.started") this.#called = false;
        if ("modelText" in event && event.modelText === null) return; // answered without a model
        const said = event.prompt.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n");
        this.#asked = `${this.#asked}\n${said.slice(0, ASKED_CHARS)}`.trim().slice(0, ASKED_CHARS);
        return;
      }
      case "model.called":
        [this.#called, this.#answered] = [true, ""]; // the last reply of a turn is its answer
        return;
      case "text":
        if (this.#answered.length < ANSWERED_CHARS) {
          this.#answered = (this.#answered + event.text).slice(0, ANSWERED_CHARS);
        }
        return;
      case "turn.ended": {
        const good = "stop" in event.outcome && event.outcome.stop === "end_turn";
        if (good && this.#called && this.#asked !== "") this.#state = "known";
        return;
      }
    }
  }
}
