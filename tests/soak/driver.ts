import { script } from "../support/model_script.ts";
import type { PendingTurn, Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { chunkText, isTool } from "../support/updates.ts";

/** A number from 0 up to, not including, `below`. */
export type Dice = (below: number) => number;

/** Dice that fall the same way for the same seed, so that a bad run can be had again (mulberry32). */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const BUSY = script(["bash", "echo up; sleep 600"], ["text", "late"]);

/** How a turn went: why it stopped, or that it failed. */
export type Told = (kind: string, stopReason: string) => void;

/** One session's life: turn after turn, each of a random kind. */
export class Driver {
  #session: Session | undefined;

  constructor(readonly stage: Stage, readonly name: string, readonly roll: Dice, readonly told: Told) {}

  /** Plays one turn; opens the session for the first. */
  async turn(): Promise<void> {
    const session = this.#session ??= await this.stage.session();
    const roll = this.roll(12); // whole turns are the most, as in life
    if (roll < 3) {
      const said = script(["think", "hm"], ["text", `${this.name} says`, { chunks: 5 }]);
      await this.#whole("text", session, said);
    } else if (roll < 6) {
      const printed = script(["bash", `seq 1 ${this.roll(3_000)}`], ["text", "ok"]);
      await this.#whole("bash", session, printed);
    } else if (roll < 9) await this.#whole("files", session, this.#files());
    else if (roll < 10) await this.#cancelled(session, script(["text", "on"], ["stall"]));
    else if (roll < 11) await this.#cancelled(session, BUSY);
    else await this.#closed(session);
  }

  /** Ends the session, if there is one. */
  async close(): Promise<void> {
    if (this.#session) await this.stage.agent.call("session/close", { sessionId: this.#session.id });
    this.#session = undefined;
  }

  #files(): string {
    const path = `${this.name}.txt`;
    return script(
      ["tool", "read", { path }],
      ["tool", "write", { path, content: `${this.roll(1_000)}\n` }],
      ["par", [["tool", "read", { path }], ["tool", "read", { path }]]],
      ["text", "ok"],
    );
  }

  async #whole(kind: string, session: Session, prompt: string): Promise<void> {
    const { stopReason } = await session.prompt(prompt);
    this.told(kind, String(stopReason));
  }

  async #cancelled(session: Session, prompt: string): Promise<void> {
    const turn = await this.#begun(session, prompt);
    await session.cancel();
    this.told("cancel", String((await turn.end()).stopReason));
  }

  /** Closes the session in the middle of a turn and loads it again. */
  async #closed(session: Session): Promise<void> {
    const turn = await session.begin(BUSY);
    await turn.until(isTool); // what was closed before it was ever prompted cannot be loaded
    await this.close();
    this.told("close", String((await turn.end()).stopReason));
    this.#session = await this.stage.load(session.id);
  }

  /** A turn at a random moment: just sent, or with something shown already. */
  async #begun(session: Session, prompt: string): Promise<PendingTurn> {
    const turn = await session.begin(prompt);
    if (this.roll(3) > 0) await turn.until((u) => chunkText(u) !== "" || isTool(u));
    return turn;
  }
}
