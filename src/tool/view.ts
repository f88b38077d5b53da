/**
 * How a tool shows its calls, in words that know no protocol; `src/presentation` maps them. All of it is
 * pure: computed from the call's arguments and the logged outcome, the same live and on replay.
 */

/** Which icon a card gets. */
export type ViewKind = "read" | "edit" | "execute" | "search" | "think" | "fetch" | "other";

/** A place in a file. */
export interface Location {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number | undefined;
}

/** One block of a card. */
export type Block =
  /** Markdown. */
  | { readonly type: "text"; readonly text: string }
  /** One hunk of a file's change; `oldText` is undefined for a new file. */
  | {
    readonly type: "diff";
    readonly path: string;
    readonly oldText?: string | undefined;
    readonly newText: string;
  }
  /** A picture; where it is too large to be sent, its file is pointed to. */
  | {
    readonly type: "image";
    readonly mimeType: string;
    /** Base64. */
    readonly data: string;
    /** Absolute path of the file that holds it, if there is one. */
    readonly path?: string | undefined;
  };

/** A call that has been made. */
export interface CallView {
  /** With a terminal the exact command in plain text, else one line of Markdown. */
  readonly title: string;
  readonly kind: ViewKind;
  readonly blocks: readonly Block[];
  readonly locations: readonly Location[];
  /** Set: the call's output streams into a terminal in this directory. */
  readonly terminal?: { readonly cwd: string } | undefined;
}

/** A call that has ended. What is undefined stays as the call showed it. */
export interface ResultView {
  readonly title?: string | undefined;
  readonly blocks?: readonly Block[] | undefined;
  readonly locations?: readonly Location[] | undefined;
  /** How a terminal's process ended; undefined when none ran. */
  readonly exit?: { readonly code: number } | { readonly signal: string } | undefined;
  /** Why nothing could be run, for a terminal that would stay empty. */
  readonly terminalNote?: string | undefined;
  /** For clients without terminals: the line under the output that says how the process ended. */
  readonly exitNote?: string | undefined;
}

/** One step of what is to be done. */
export interface PlanEntry {
  /** One line of Markdown. */
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly priority: "high" | "medium" | "low";
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function fence(text: string, info = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${info}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${ticks}`;
}

export { code } from "../permission/code.ts";
