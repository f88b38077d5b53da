import type { z } from "zod";
import type { Executor } from "../bash/executor_handle.ts";
import type { JobTable } from "../bash/jobs.ts";
import type { Action, AgentAction } from "../permission/decide.ts";
import type { User } from "./user.ts";
import type { Block, CallView, PlanEntry, ResultView } from "./view.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A picture that came out of a call. */
export interface Image {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** What became of a call; all of it is logged. */
export interface Outcome {
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  /** Structured facts for the card, so that it never parses text that a command could have printed. */
  readonly facts?: Json | undefined;
  /** What the model sees beside the text, if it can see at all; keep it small, it is sent again with every request. */
  readonly images?: readonly Image[] | undefined;
  /** Set: the call was not run, since the user said no or cancelled. Cards say so in words for people. */
  readonly notRun?: "refused" | "cancelled" | undefined;
}

/** Where a session works; what pure presentation may know of it. */
export interface Place {
  /** Absolute. */
  readonly cwd: string;
}

/** A task for a child of the session. */
export interface ChildTask {
  /** What the user knows it by, one line of Markdown. */
  readonly title: string;
  /** All that the child is told. */
  readonly task: string;
  /** May it change anything? What the session asks the user for, it asks for too. */
  readonly write: boolean;
}

/** What a child came to. */
export interface ChildReport {
  /** The last that it said; empty when it said nothing. */
  readonly text: string;
  /** Why it stopped; only `end_turn` means that it was done. */
  readonly end: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | { readonly failure: string };
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
  /** The hash of the content of a file that the model saw last; see `Seen`. */
  seen(path: string): string | undefined;
  /**
   * Asks for leave for something that the agent itself does, in no executor; throws as {@linkcode admit} does. A
   * call may ask several times; the log says once that it begins.
   */
  permit(action: AgentAction): Promise<void>;
  /** Hosts that are no public ones and that the user's configuration lets `fetch` reach. */
  readonly privateHosts: readonly string[];
  /** The session's background jobs; those of other sessions are not to be seen here. */
  readonly jobs: JobTable;
  /**
   * Has a child of the session work on a task, in a conversation of its own that ends with this call. Throws an
   * `AbortError` on cancel; a child that fails is told in the report.
   */
  delegate(task: ChildTask): Promise<ChildReport>;
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
 * about how the tool looks; a tool without them gets the generic card. `classify` tells, without any effect,
 * what the card needs and takes longer to find out (a grammar to be loaded): it is called once, and what it
 * gives is logged with the call, so that every replay has it. It may reject: then the card does without.
 */
export interface Tool<Args = unknown, Facts = unknown> {
  readonly name: string;
  /** For the model: short, and it teaches. */
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  /** What the model is told in place of `schema`: JSON schema of an object. */
  readonly jsonSchema?: Readonly<Record<string, Json>>;
  /** `none`: clients are not told of its calls, good or bad; what they do shows by itself. */
  readonly card?: "none";
  /** True: only reads, so that calls of one reply may run side by side. A function where the arguments decide. */
  readonly readsOnly: boolean | ((args: Args) => boolean);
  run(args: Args, context: ToolContext): Promise<Outcome>;
  classify?(args: Args, place: Place): Promise<Json | undefined>;
  /** `logged`: what `classify` gave; another version may have given anything. */
  presentCall?(args: Args, place: Place, logged?: Json): CallView;
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
