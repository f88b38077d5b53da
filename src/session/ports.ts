import type { Preset } from "../config/config.ts";
import type { Executor } from "../bash/executor_handle.ts";
import type { Model } from "../model/model.ts";
import type { Action, AgentAction, Always } from "../permission/decide.ts";
import type { Grant } from "../permission/grant.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import type { Choice, Chosen, Elicitation, Elicited } from "../tool/user.ts";
import type { Block } from "../tool/view.ts";

/** A question to the user about one announced call. */
export interface Question {
  readonly callId: string;
  readonly action: Action | AgentAction;
  /** Why it is asked, one sentence for the user. */
  readonly reason: string;
  /** What would change, where the tool can tell beforehand. */
  readonly preview: readonly Block[] | undefined;
  /** What "always" would cover, word for word true; undefined where only this one call can be allowed. */
  readonly always: string | undefined;
}

/** `cancelled`: the user dismissed the question, which ends the turn. Whatever is not a clear yes is `reject`. */
export type Answer = "allow" | "allow-always" | "reject" | "cancelled";

/** What a session needs of the one who shows it. */
export interface Front {
  /** Asks the user. Never rejects; resolves with `cancelled` once `signal` is aborted. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /**
   * Has the user fill in a form or visit a page, for an announced call or for none; only while a turn runs,
   * since some clients answer nothing outside of one. Never rejects; resolves with `cancel` once `signal` is
   * aborted. No time limit: people take their time.
   */
  elicit(elicitation: Elicitation & { readonly callId?: string }, signal: AbortSignal): Promise<Elicited>;
  /** The visit to the page of this id is over; harmless for one that the user did not make. Never throws. */
  elicitationDone(id: string): void;
  /** Has the user choose for an announced call. The same rules. */
  choose(choice: Choice & { readonly callId: string }, signal: AbortSignal): Promise<Chosen>;
  /** Resolves when the receiver has caught up enough to be sent more. Never rejects. */
  ready(): Promise<void>;
}

/** The answers "always" that count in a session. */
export interface GrantBook {
  /** Those of now. Never rejects. */
  list(): Promise<readonly Grant[]>;
  /** @throws AgentError("store") when it cannot be kept. */
  remember(always: Always): Promise<void>;
}

/** What an approved call may do beyond its preset: change files of the workspace, use the network, anything. */
export type Wish = "edit" | "network" | "unconfined";

/** What a session runs its tools with. */
export interface Workbench {
  /**
   * The executor of a preset, or with `wish` the wider one of a single approved call.
   * @throws AgentError("sandbox") when the confinement cannot be put on; never a wider one unasked.
   */
  executor(preset: Preset, wish?: Wish): Promise<Executor>;
  /** The directories beside `cwd` that belong to the workspace, for executors asked for from here on. */
  setRoots(roots: readonly string[]): void;
  /** Begins to start a preset's executor, so that its first use need not wait. A failure shows at that use. */
  prepare(preset: Preset): void;
  /** What the confinement of a preset obtained here; undefined before its first executor. */
  report(preset: Preset): ConfinementReport | undefined;
  /** What the user should know of a preset's bounds here, one sentence each (a root that is not writable). */
  notes(preset: Preset): readonly string[];
  /** Ends all executors. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens a model by its id, `provider/model`; without one the configured model, or what is found.
 * @throws ModelError("auth") when there is none, or its key is missing; AgentError("config") for a bad id.
 */
export type OpenModel = (id?: string) => Promise<Model>;
