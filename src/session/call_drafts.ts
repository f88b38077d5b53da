import type { ParseError } from "jsonc-parser";
import type { EventLog } from "./event_log.ts";

/** A call whose arguments are still being written. */
interface Draft {
  readonly id: string;
  readonly name: string;
  args: string;
  /** How many of the {@linkcode STEPS} were logged. */
  steps: number;
}

/**
 * Characters of arguments at which a draft is logged. A shorter call is whole before anyone could read its draft;
 * what stands behind the last step is the end of a long text, whose beginning is shown already.
 */
const STEPS: readonly number[] = [256, 1024, 4096];

/**
 * The calls of one reply while the model writes them: shows what is known of long ones. A draft is for the eye
 * only; what runs is the call, once it is whole.
 */
export class CallDrafts {
  readonly #log: EventLog;
  readonly #drafts = new Map<string, Draft>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** A call begins; `wireId` is what the model's stream calls it. */
  begin(wireId: string, name: string): void {
    this.#drafts.set(wireId, { id: this.#log.uniqueCallId(wireId), name, args: "", steps: 0 });
  }

  /** More of a call's arguments, as they come. */
  async add(wireId: string, text: string): Promise<void> {
    const draft = this.#drafts.get(wireId);
    if (!draft) return;
    draft.args += text;
    const due = STEPS.findLastIndex((step) => draft.args.length >= step) + 1;
    if (due <= draft.steps) return;
    draft.steps = due;
    const { id: callId, name } = draft;
    this.#log.append({ type: "tool.drafted", callId, name, args: await closedArguments(draft.args) });
  }

  /** The id in the log of a call that is whole now. */
  idOf(wireId: string): string {
    return this.#drafts.get(wireId)?.id ?? this.#log.uniqueCallId(wireId);
  }
}

/** What half-written arguments say so far, as whole JSON; nothing where they are nested too deep to be read. */
async function closedArguments(half: string): Promise<string> {
  const parser = await import("jsonc-parser");
  try {
    return closed(half, parser);
  } catch (e) {
    if (e instanceof RangeError) return "{}";
    throw e;
  }
}

/** The text that breaks off ends with an ellipsis. */
function closed(half: string, { parse, printParseErrorCode }: typeof import("jsonc-parser")): string {
  const errors: ParseError[] = [];
  const value: unknown = parse(half, errors, { disallowComments: true });
  if (typeof value !== "object" || value === null) return "{}";
  const broken = errors.some(({ error }) => printParseErrorCode(error) === "UnexpectedEndOfString");
  return JSON.stringify(broken ? withEllipsis(value) : value);
}

/** Marks the last text inside: the only one that can be half. */
function withEllipsis(value: unknown): unknown {
  if (typeof value === "string") return `${value}…`;
  if (Array.isArray(value)) return [...value.slice(0, -1), ...value.slice(-1).map(withEllipsis)];
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries([
    ...entries.slice(0, -1),
    ...entries.slice(-1).map(([key, last]) => [key, withEllipsis(last)]),
  ]);
}
