import type { Beyond, Executor } from "../bash/executor_handle.ts";
import type { Preset } from "../config/config.ts";
import { AgentError } from "../errors.ts";
import { readCommandLine } from "../permission/command_line.ts";
import {
  type Action,
  type AgentAction,
  type Always,
  decide,
  type Decision,
  needsLine,
  type Standing,
} from "../permission/decide.ts";
import type { Rules } from "../permission/rules.ts";
import { Refusal } from "../tool/tool.ts";
import type { Block } from "../tool/view.ts";
import type { ChangeKeeper } from "./undo/change_keeper.ts";
import { throughEditor } from "./editor/editor_executor.ts";
import type { EditorAccess } from "./editor/editor_view.ts";
import type { Front, GrantBook, Wish, Workbench } from "./ports.ts";

/** What is needed to let a call do something. */
export interface AdmissionDeps {
  readonly workbench: Workbench;
  readonly front: Front;
  readonly grants: GrantBook;
  readonly rules: Rules;
  /** The session's directory, absolute. */
  readonly cwd: string;
  readonly preset: Preset;
  /** Undefined where the client has no file methods. */
  readonly editor?: EditorAccess | undefined;
  /** What keeps files as they were before the turn; undefined where nobody could take a change back. */
  readonly changes?: ChangeKeeper | undefined;
}

/** One call that wants to do something. */
export interface Applicant<A = Action> {
  readonly callId: string;
  readonly action: A;
  readonly signal: AbortSignal;
  /** Ends the turn; called when the user dismisses the question. */
  readonly dismiss: () => void;
}

/** What shows, with an executor to read with, what would change. */
export type Preview = (reader: Executor) => Promise<readonly Block[]>;

/** The preset's own executor, with what of this action it does not confine; or why there is none. */
type Confined =
  | { readonly executor: Executor; readonly problem: string | undefined }
  | { readonly problem: string };

/**
 * Decides, asks the user where needed, and gives the executor for just this action. Throws `Refusal` on a no,
 * an abort on cancel, AgentError("sandbox") when there is no executor to be had.
 */
export async function admit(deps: AdmissionDeps, applicant: Applicant, preview?: Preview): Promise<Executor> {
  const equipped = equipment(deps, applicant);
  const confined = await confinedExecutor(deps, applicant.action);
  const decision = await decideOn(deps, applicant.action, confined.problem);
  if (decision.verdict === "deny") throw new Refusal(decision.reason);
  if (decision.verdict === "ask") {
    const shown = "executor" in confined ? await preview?.(equipped(confined.executor)) : undefined;
    await ask(deps, applicant, decision, shown);
  }
  const executor = await executorFor(deps, applicant.action, confined, decision.verdict === "ask");
  applicant.signal.throwIfAborted();
  return equipped(executor);
}

/** What every executor of one call gets: the editor's files, and a keeper of what it changes. */
function equipment(
  { editor, changes }: AdmissionDeps,
  { action, signal }: Applicant,
): (executor: Executor) => Executor {
  const keeping = action.kind === "edit" ? changes?.forCall() : undefined;
  return (executor) => {
    const own = throughEditor(executor, editor, signal);
    return keeping ? keeping(own) : own;
  };
}

/**
 * Like {@linkcode admit}, for what the agent itself does: no executor is started or given. What would confine one
 * is of no matter here.
 */
export async function permit(deps: AdmissionDeps, applicant: Applicant<AgentAction>): Promise<void> {
  const decision = await decideOn(deps, applicant.action, undefined);
  if (decision.verdict === "deny") throw new Refusal(decision.reason);
  if (decision.verdict === "ask") await ask(deps, applicant, decision, undefined);
  applicant.signal.throwIfAborted();
}

async function decideOn(
  deps: AdmissionDeps,
  action: Action | AgentAction,
  problem: string | undefined,
): Promise<Decision> {
  const standing: Standing = {
    preset: deps.preset,
    unconfinedBecause: problem,
    grants: await deps.grants.list(),
    rules: deps.rules,
    workspace: deps.cwd,
  };
  const line = action.kind === "command" && needsLine(standing, action)
    ? await readCommandLine(action.command)
    : undefined;
  return decide(standing, action, line);
}

/** Puts the question to the user. Returns on a yes, throws on all else. */
async function ask(
  deps: AdmissionDeps,
  { action, callId, signal, dismiss }: Applicant<Action | AgentAction>,
  { reason, always }: Extract<Decision, { verdict: "ask" }>,
  shown: readonly Block[] | undefined,
): Promise<void> {
  const answer = await deps.front.ask(
    { callId, action, reason, preview: shown, always: always?.label },
    signal,
  );
  if (answer === "cancelled") dismiss();
  signal.throwIfAborted();
  if (answer === "allow-always" && always) await remember(deps, always);
  else if (answer !== "allow") {
    throw new Refusal("The user said no to this call. Do something else, or ask what is wanted.");
  }
}

/** A grant that cannot be kept is no reason not to do what was just approved. */
async function remember(deps: AdmissionDeps, always: Always): Promise<void> {
  try {
    await deps.grants.remember(always);
  } catch (e) {
    if (!(e instanceof AgentError)) throw e;
  }
}

async function executorFor(
  { workbench, preset }: AdmissionDeps,
  action: Action,
  confined: Confined,
  asked: boolean,
): Promise<Executor> {
  if (!("executor" in confined)) return await workbench.executor(preset, "unconfined");
  const wish = wishOf(preset, action, asked);
  const executor = wish === undefined ? confined.executor : await workbench.executor(preset, wish);
  return (await beyondOf(executor, action))?.executor ?? executor;
}

/** What of a command an executor does not confine. */
async function beyondOf(executor: Executor, action: Action): Promise<Beyond | undefined> {
  return action.kind === "command" ? await executor.beyond?.(action.command, action.cwd) : undefined;
}

/** What this one call gets beyond the preset. Only a question, or a grant that stands for one, gives any. */
function wishOf(preset: Preset, action: Action, asked: boolean): Wish | undefined {
  if (preset === "full-access") return undefined;
  if (action.kind === "command") return action.escalate;
  return action.kind === "edit" && asked ? "edit" : undefined;
}

async function confinedExecutor({ workbench, preset }: AdmissionDeps, action: Action): Promise<Confined> {
  try {
    const executor = await workbench.executor(preset);
    return { executor, problem: (await beyondOf(executor, action))?.reason };
  } catch (e) {
    if (e instanceof AgentError && e.kind === "sandbox") return { problem: e.message };
    throw e;
  }
}
