import type { z } from "zod";
import type { Executor } from "../bash/executor_handle.ts";
import type { JobTable } from "../bash/jobs.ts";
import type { Action, AgentAction } from "../permission/decide.ts";
import type { User } from "./user.ts";
import type { Block, CallView, PlanEntry, ResultView } from "./view.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What became of a call; all of it is logged. */
export interface Outcome {
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  /** Structured facts for the card, so that it never parses text that a command could have printed. */
  readonly facts?: Json | undefined;
  /** Set: the call was not run, since the user said no or cancelled. Cards say so in words for people. */
  readonly notRun?: "refused" | "cancelled" | undefined;
}

/** Where a session works; what pure presentation may know of it. */
export interface Place {
  /** Absolute. */
  readonly cwd: string;
}

/** What a running tool gets from the outside. */
export interface ToolContext extends Place {
  /** Aborted when the user cancels; `run` then ends soon, by throwing or by an outcome. */
  readonly signal: AbortSignal;
  /**
   * Asks for leave to do something and gives the executor to do it with. Asks the user where the preset
   * says so; logs, durably, that the side effect begins. Throws {@linkcode Refusal} when the answer is no,
   * `AgentError("sandbox")` when there is no executor to be had, an `AbortError` on cancel.
   *
   * `preview` shows the user what would change; it is called only if there is a question, with an executor
   * to read with. What it throws fails the call before anyone is asked.
   */
  admit(action: Action, preview?: (reader: Executor) => Promise<readonly Block[]>): Promise<Executor>;
  /**
   * Asks for leave for something that the agent itself does, in no executor; throws as {@linkcode admit} does. A
   * call may ask several times; the log says once that it begins.
   */
  permit(action: AgentAction): Promise<void>;
  /** The session's background jobs; those of other sessions are not to be seen here. */
  readonly jobs: JobTable;
  /** Logs that the call begins, for tools that need no leave and may take a while. */
  begin(): void;
  /** Shows output while the call runs; it is logged as shown. */
  emit(text: string): void;
  /** Shows the user what is to be done, in place of what was shown before; it is logged as shown. */
  setPlan(entries: readonly PlanEntry[]): void;
  /** Asks the user. It needs no leave. */
  readonly user: User;
}

/**
 * One tool.
 *
 * Contract: `run` may throw anything; the caller turns it into a failed outcome. `presentCall` and
 * `presentResult` are pure, never throw for arguments that `schema` accepts, and hold all that is special
 * about how the tool looks; a tool without them gets the generic card.
 */
export interface Tool<Args = unknown, Facts = unknown> {
  readonly name: string;
  /** For the model: short, and it teaches. */
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  /** What the model is told in place of `schema`: JSON schema of an object. */
  readonly jsonSchema?: Readonly<Record<string, Json>>;
  /** True: only reads, so that calls of one reply may run side by side. */
  readonly readsOnly: boolean;
  /** `none`: clients are not told of its calls, good or bad; what they do shows by itself. */
  readonly card?: "none";
  run(args: Args, context: ToolContext): Promise<Outcome>;
  presentCall?(args: Args, place: Place): CallView;
  presentResult?(args: Args, outcome: Outcome & { facts?: Facts }, place: Place): ResultView;
}

/** The user, or a rule, said no; the message is for the model. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Makes a tool whose parts agree on the type of its arguments. */
// deno-lint-ignore no-explicit-any -- a registry holds tools of any arguments; each is typed where it is made
export function defineTool<Args, Facts = never>(tool: Tool<Args, Facts>): Tool<any, any> {
  return tool;
}
