import { isAbort, messageOf } from "../../errors.ts";
import type { Model, ModelUsage, ThoughtLevel } from "../../model/model.ts";
import { modelName } from "../../model/providers.ts";
import {
  CHARS_PER_TOKEN,
  compacted,
  ENOUGH_SHARE,
  estimateTokens,
  planPruning,
  START_SHARE,
  tailStart,
} from "./compaction_plan.ts";
import { SUMMARY_PROMPT, summaryGroup, transcript } from "./compaction_text.ts";
import type { ContextFill } from "../event.ts";
import { DeltaBuffer } from "../delta_buffer.ts";
import type { EventLog } from "../event_log.ts";
import { charsOf } from "./group.ts";
import { randomId } from "../ids.ts";

/** What a conversation is compacted with. */
export interface CompactionDeps {
  readonly log: EventLog;
  readonly thought: ThoughtLevel | undefined;
}

/** `nothing`: there is nothing that a summary could replace; the log does not mention it then. */
export type CompactionOutcome = "done" | "failed" | "nothing";

/** Share of the window that the text to be summarised may take; the rest is for the summary and bad estimates. */
const TEXT_SHARE = 0.6;

/** Characters that any model takes which can work with tools at all: a text is never shortened below that. */
const FITS_ALWAYS = 16_000;

/** Makes room in the history for one turn's calls of one model. */
export class Compactor {
  readonly #deps: CompactionDeps;
  readonly #model: Model;
  /** A summary that failed is not paid for again before every further call of the turn. */
  #gaveUp = false;

  constructor(deps: CompactionDeps, model: Model) {
    this.#deps = deps;
    this.#model = model;
  }

  /**
   * Before a call: prunes, then summarises, where the window is known and nearly full. Throws an abort once
   * `signal` is aborted and AgentError("store"); never for a summary that failed.
   */
  async makeRoom(signal: AbortSignal): Promise<void> {
    const { window } = this.#model;
    const { history } = this.#deps.log;
    if (window === undefined || history.tokens() < window * START_SHARE) return;
    prune(this.#deps.log, window);
    if (history.tokens() <= window * ENOUGH_SHARE || this.#gaveUp) return;
    this.#gaveUp = await compact(this.#deps, this.#model, signal) === "failed";
  }

  /** After the provider said that the history is too long: is it shorter now? Throws like `makeRoom`. */
  async shorten(signal: AbortSignal): Promise<boolean> {
    const { log } = this.#deps;
    // What was too long as messages is surely no longer too long at half of it, whatever the window is.
    const chars = log.history.groups().reduce((sum, g) => sum + charsOf(g), 0);
    const shorter = prune(log, this.#model.window);
    const outcome = await compact(this.#deps, this.#model, signal, Math.max(FITS_ALWAYS, chars / 2));
    return outcome === "done" || outcome === "nothing" && shorter;
  }
}

/** Leaves out long results of earlier turns; false where there are none. */
function prune(log: EventLog, window: number | undefined): boolean {
  const pruning = planPruning(log.history.groups());
  if (!pruning) return false;
  const tokens = log.history.tokens() - Math.ceil(pruning.saved / CHARS_PER_TOKEN);
  log.append({ type: "compaction.pruned", ...pruning, context: fill(tokens, window) });
  return true;
}

function fill(tokens: number, window: number | undefined): ContextFill | undefined {
  return window === undefined ? undefined : { tokens: Math.max(0, tokens), window };
}

/**
 * Has the model summarise all but the recent tail of the conversation, full or not. Only a summary that is
 * done changes the history. `max` bounds the characters that are summarised. Throws an abort once `signal`
 * is aborted (logged then) and AgentError("store"); a model that fails gives `failed`.
 */
export async function compact(
  { log, thought }: CompactionDeps,
  model: Model,
  signal: AbortSignal,
  max = Infinity,
): Promise<CompactionOutcome> {
  signal.throwIfAborted();
  const groups = log.history.groups();
  const keep = tailStart(groups);
  if (keep === undefined) return "nothing";
  const compaction = randomId("compact");
  const room = Math.floor(Math.min(max, (model.window ?? Infinity) * TEXT_SHARE * CHARS_PER_TOKEN));
  const request = { system: SUMMARY_PROMPT, text: transcript(groups.slice(0, keep), room), thought };
  const pieces = new DeltaBuffer<"summary">((_, text) =>
    log.append({ type: "compaction.text", compaction, text })
  );
  log.append({
    type: "compaction.started",
    compaction,
    model: modelName(model.ref),
    system: SUMMARY_PROMPT,
    keep,
    max: Number.isFinite(room) ? room : null,
    price: model.price,
  }, true);
  let written: Written;
  try {
    written = await write(model, request, signal, (text) => pieces.push("summary", text));
    pieces.flush();
  } catch (e) {
    pieces.stop();
    const cancelled = signal.aborted || isAbort(e);
    log.append({ type: "compaction.failed", compaction, cancelled, message: messageOf(e) });
    if (cancelled) throw e;
    return "failed";
  }
  const after = compacted(groups, keep, summaryGroup(written.summary));
  const context = fill(estimateTokens(after, log.history.system?.text ?? ""), model.window);
  log.append({ type: "compaction.done", compaction, keep, ...written, context });
  return "done";
}

/** What the model made of it. */
interface Written {
  readonly summary: string;
  readonly usage: ModelUsage;
}

/** Throws where there is no whole summary: half of one would lose the rest unseen. */
async function write(
  model: Model,
  request: { readonly system: string; readonly text: string; readonly thought: ThoughtLevel | undefined },
  signal: AbortSignal,
  watch: (piece: string) => void,
): Promise<Written> {
  const { system, text, thought } = request;
  let summary = "";
  const parts = model.stream({ system, messages: [{ role: "user", text }], tools: [], thought }, signal);
  for await (const part of parts) {
    if (part.type === "text") {
      summary += part.text;
      watch(part.text);
    }
    if (part.type !== "finish") continue;
    if (part.reason === "length") throw new Error("The model's summary was cut off.");
    if (part.reason === "content-filter") throw new Error("The provider refused to write a summary.");
    if (summary.trim() === "") throw new Error("The model wrote no summary.");
    return { summary: summary.trim(), usage: part.usage };
  }
  throw new Error("The model's summary ended without a finish.");
}
