import type { JobEnd, JobName } from "../bash/jobs.ts";
import type { ModelPrice, Preset } from "../config/config.ts";
import type { FinishReason, ModelUsage, ThoughtLevel } from "../model/model.ts";
import type { PlanEntry } from "../tool/view.ts";
import type { Image, Json } from "../tool/tool.ts";

/** One block of a prompt, free of protocol shapes. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  /** A file or page that the user points to. */
  | { readonly type: "link"; readonly uri: string; readonly name: string }
  /** Text that came along with the prompt (a selection, a file, a diff). */
  | { readonly type: "context"; readonly uri: string; readonly text: string }
  /** A picture, its bytes in Base64. */
  | {
    readonly type: "image";
    readonly mimeType: string;
    readonly data: string;
    readonly uri?: string | undefined;
  }
  /** Bytes that came along and are neither text nor a picture that the model takes: only what they were is kept. */
  | {
    readonly type: "binary";
    readonly uri: string;
    readonly mimeType?: string | undefined;
    readonly size: number;
  };

/** Why a turn stopped; the protocol's five reasons. */
export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** A failure as logged: enough to answer the prompt with. */
export interface Failure {
  readonly kind: "auth-required" | "model" | "internal";
  readonly message: string;
}

/** How a turn ended. */
export type TurnOutcome = { readonly stop: StopReason } | { readonly failure: Failure };

/** How a call ended, beside its outcome. */
export type CallStatus = "completed" | "failed";

/** How full the model's window is after a compaction, in tokens: an estimate until the next reply is counted. */
export interface ContextFill {
  readonly tokens: number;
  readonly window: number;
}

/** What a file held before a turn changed it. */
export type FileBefore =
  /** Content that is kept under its hash among the session's snapshots; null: there was no file. */
  | { readonly kept: string | null }
  /** It is not kept, for this reason. */
  | { readonly lost: string };

/**
 * What happened in a session, in order. The log of these is the only truth: the model's history, the
 * client's updates, a replay and the figures are projections of it.
 */
export type SessionEvent =
  | {
    readonly type: "session.created";
    readonly cwd: string;
    readonly preset: Preset;
    /** Version of this program. */
    readonly version: string;
  }
  /** The directory is another one from here on: the stored one was gone when the session was loaded. */
  | { readonly type: "session.moved"; readonly cwd: string }
  /** All before this was copied from another session; from here on the two go separate ways. */
  | { readonly type: "session.forked"; readonly from: string }
  /** The directories beside `cwd` that belong to the workspace from the next turn on; none until it is said. */
  | { readonly type: "roots.set"; readonly roots: readonly string[] }
  /** What lists call the session from here on; before the first one it is the first prompt's first words. */
  | { readonly type: "title.set"; readonly title: string }
  /** What tools may do unasked, from the next turn on. */
  | { readonly type: "preset.set"; readonly preset: Preset }
  /** The model of all calls from the next turn on, `provider/model`. */
  | { readonly type: "model.set"; readonly model: string }
  /** How long models think, from the next turn on; null: as the provider sees fit. */
  | { readonly type: "thought.set"; readonly level: ThoughtLevel | null }
  /** The system prompt of all model calls from here on, instructions of the workspace included. */
  | {
    readonly type: "system.set";
    readonly text: string;
    readonly cwd: string;
    readonly preset: Preset;
    readonly roots?: readonly string[] | undefined;
    /** The day that the text speaks of, `YYYY-MM-DD`. */
    readonly date?: string | undefined;
    /** What the user was told of the instructions and skills in it. */
    readonly told?: string | undefined;
  }
  | {
    readonly type: "turn.started";
    readonly turn: string;
    readonly messageId: string;
    readonly prompt: readonly PromptPart[];
    /** What the model reads in place of the prompt's first part; null: nothing of it, since this program answers by itself. */
    readonly modelText?: string | null | undefined;
  }
  /** Said by this program, not by the model, which does not read it. Markdown. */
  | { readonly type: "answered"; readonly messageId: string; readonly text: string }
  /** What the model is told in front of the user's next message, and the user knows. */
  | { readonly type: "told"; readonly text: string }
  /** Said by the user while the turn ran; the next model call reads it. */
  | { readonly type: "steered"; readonly messageId: string; readonly prompt: readonly PromptPart[] }
  /** A model call begins; logged durably before it. `model` is `provider/model`. */
  | {
    readonly type: "model.called";
    readonly model: string;
    readonly window?: number | undefined;
    readonly price?: ModelPrice | undefined;
  }
  | { readonly type: "thought"; readonly messageId: string; readonly text: string }
  | { readonly type: "text"; readonly messageId: string; readonly text: string }
  | { readonly type: "model.replied"; readonly finish: FinishReason; readonly usage: ModelUsage }
  /** The reply broke off; what it had said stays said, its calls were never made. */
  | { readonly type: "model.failed"; readonly message: string }
  /** The results of these calls are left out of the model's history from here on. */
  | {
    readonly type: "compaction.pruned";
    readonly callIds: readonly string[];
    /** Characters that it saves. */
    readonly saved: number;
    readonly context?: ContextFill | undefined;
  }
  /**
   * The model is asked for a summary of the history up to its `keep`th group (see `group.ts`), shortened to
   * `max` characters; logged durably before it.
   */
  | {
    readonly type: "compaction.started";
    readonly compaction: string;
    readonly model: string;
    /** The instruction that it is written by. */
    readonly system: string;
    readonly keep: number;
    readonly max: number | null;
    readonly price?: ModelPrice | undefined;
  }
  /** A piece of the summary as it is being written: for whoever watches, the history knows nothing of it. */
  | { readonly type: "compaction.text"; readonly compaction: string; readonly text: string }
  /** From here on the summary stands in the model's history in place of all before its `keep`th group. */
  | {
    readonly type: "compaction.done";
    readonly compaction: string;
    readonly keep: number;
    readonly summary: string;
    readonly usage: ModelUsage;
    readonly context?: ContextFill | undefined;
  }
  /** There is no summary; the history stays as it was. */
  | {
    readonly type: "compaction.failed";
    readonly compaction: string;
    readonly cancelled: boolean;
    readonly message: string;
  }
  /**
   * The model is writing a long call; `args` is what it has written so far, as whole JSON. It may say more of it,
   * then comes the call itself, or the reply ends without it.
   */
  | { readonly type: "tool.drafted"; readonly callId: string; readonly name: string; readonly args: string }
  | {
    readonly type: "tool.called";
    readonly callId: string;
    readonly name: string;
    readonly args: string;
    /** What the tool found out about the call for its card. */
    readonly facts?: Json | undefined;
  }
  /** The side effect begins; logged durably before it. */
  | { readonly type: "tool.started"; readonly callId: string }
  | { readonly type: "tool.output"; readonly callId: string; readonly text: string }
  | {
    readonly type: "tool.ended";
    readonly callId: string;
    readonly status: CallStatus;
    /** What the model reads. */
    readonly text: string;
    readonly facts?: Json | undefined;
    /** What a model that can see is shown beside the text. */
    readonly images?: readonly Image[] | undefined;
    readonly notRun?: "refused" | "cancelled" | undefined;
  }
  /**
   * A file tool is about to give a file this content; `before`, with the first change in a turn, says what the
   * file held then. Where the write comes to another content (an editor that formats), that one is told once more.
   */
  | {
    readonly type: "file.changed";
    readonly path: string;
    readonly before?: FileBefore | undefined;
    /** See `contentHash`. */
    readonly after: string;
  }
  /** The file changes of this turn are being taken back; logged durably before it. */
  | { readonly type: "undo.started"; readonly turn: string }
  /** They are, but for those that are `left`. */
  | {
    readonly type: "undo.done";
    readonly turn: string;
    readonly back: readonly string[];
    readonly left: readonly { readonly path: string; readonly why: string }[];
  }
  /** What is to be done, the whole of it, in place of what was said before. */
  | { readonly type: "plan.set"; readonly entries: readonly PlanEntry[] }
  /**
   * Something happened in the conversation of the child that works for a `subagent` call: a log within the log,
   * which holds a whole turn and no children of its own.
   */
  | { readonly type: "child"; readonly callId: string; readonly event: SessionEvent }
  /** A background job begins: it outlives its turn, and is gone when the agent ends. */
  | ({ readonly type: "job.started" } & JobName)
  /**
   * A background job's end is told: where `inResult`, by the result of a call; else to the model in front of
   * the user's next message, and to the user as a notice.
   */
  | ({ readonly type: "job.ended"; readonly messageId: string; readonly inResult: boolean } & JobEnd)
  /** For the user, not for the model. */
  | {
    readonly type: "notice";
    readonly messageId: string;
    readonly severity: "info" | "warning" | "error";
    readonly text: string;
  }
  | { readonly type: "turn.ended"; readonly turn: string; readonly outcome: TurnOutcome };

/** Every type there is: a stored event of another one was written by a later version. */
const TYPES: Readonly<Record<SessionEvent["type"], true>> = {
  "session.created": true,
  "session.moved": true,
  "session.forked": true,
  "roots.set": true,
  "title.set": true,
  "preset.set": true,
  "model.set": true,
  "thought.set": true,
  "system.set": true,
  "turn.started": true,
  "answered": true,
  "told": true,
  "steered": true,
  "model.called": true,
  "thought": true,
  "text": true,
  "model.replied": true,
  "model.failed": true,
  "compaction.pruned": true,
  "compaction.started": true,
  "compaction.text": true,
  "compaction.done": true,
  "compaction.failed": true,
  "tool.drafted": true,
  "tool.called": true,
  "tool.started": true,
  "tool.output": true,
  "tool.ended": true,
  "file.changed": true,
  "undo.started": true,
  "undo.done": true,
  "plan.set": true,
  "child": true,
  "job.started": true,
  "job.ended": true,
  "notice": true,
  "turn.ended": true,
};

/** Does this version know events of this type? */
export function isEventType(type: unknown): type is SessionEvent["type"] {
  return typeof type === "string" && Object.hasOwn(TYPES, type);
}

/** An event with its place in the log. */
export interface LoggedEvent {
  /** 0-based, without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch, as the clock stood. */
  readonly time: number;
  readonly event: SessionEvent;
}
