import { oneLine } from "../errors.ts";
import type { Outcome } from "./tool.ts";

/**
 * Why a call cannot be done, in two sets of words: a card says what is wrong, and the model reads besides what to
 * do about it.
 */
export class ToolFault extends Error {
  override readonly name: string = "ToolFault";
  /** For people, in plain text. */
  readonly shown: string;

  /**
   * @param told what is wrong, for the model
   * @param advice what it can do about it
   * @param shown the same for people, where `told` speaks of arguments, or to the model
   */
  constructor(told: string, advice = "", shown: string = told) {
    super(advice === "" ? told : `${told} ${advice}`);
    this.shown = shown;
  }

  /** As the outcome of the call. */
  outcome(): Outcome {
    return { text: this.message, isError: true, facts: { problem: this.shown } };
  }
}

/** What a card says of a call that came to nothing; undefined where there is more to show, or it went well. */
export function problemIn({ isError, text, facts }: Outcome): string | undefined {
  if (facts === undefined) return isError ? text : undefined;
  if (typeof facts !== "object" || facts === null || !("problem" in facts)) return undefined;
  return typeof facts.problem === "string" ? facts.problem : undefined;
}

/** As a sentence, in one line. */
export function sentence(text: string): string {
  return oneLine(text).replace(/([^.!?…])$/, "$1.");
}
