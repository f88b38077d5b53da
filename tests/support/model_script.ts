import type { Fields } from "./wire.ts";

/** How a text is cut into deltas: into `chunks` pieces, `ms` milliseconds apart. */
export interface Pace {
  readonly chunks?: number;
  readonly ms?: number;
}

/** What the scripted model does, one step after the other. A tool call ends the reply. */
export type Step =
  | readonly ["text" | "think", string, Pace?]
  /** Says the numbers below this one, for texts that would be too long for a prompt. */
  | readonly ["count", number, Pace?]
  /** A call of bash, with further arguments. */
  | readonly ["bash", string, Fields?]
  | readonly ["tool", string, Fields?]
  /** Several calls in one reply. */
  | readonly ["par", readonly Step[]]
  | readonly ["wait", number]
  /** Waits until the test opens the gate of this name. */
  | readonly ["gate", string]
  /** Answers with this status, message and headers instead of a stream. */
  | readonly ["http", number, string?, Readonly<Record<string, string>>?]
  /** Fails the first `n` requests of this prompt with a status and message, then goes on. */
  | readonly ["flaky", number, number, string?]
  /** Answers 200 with this content type and body instead of a stream. */
  | readonly ["body", string, string]
  /** Breaks the connection in the middle of the stream. */
  | readonly ["cut"]
  /** Never answers, not even with headers. */
  | readonly ["hang"]
  /** Stops sending in the middle of the stream, and keeps it open. */
  | readonly ["stall"]
  /** Ends the reply with this `finish_reason`. */
  | readonly ["finish", string]
  /** A tool call whose arguments are this text, JSON or not. */
  | readonly ["raw", string, string]
  /** A tool call whose stream breaks off in the middle of its arguments. */
  | readonly ["half", string, string]
  /** A tool call that is written up to the middle of its arguments, and on when the test opens the gate. */
  | readonly ["held", string, Fields, string];

/** What `["count", below]` says. */
export function counted(below: number): string {
  return Array.from({ length: below }, (_, i) => `${i} `).join("");
}

/** What the model is asked next, read from the history in the request. */
export interface Cue {
  readonly steps: readonly Step[];
  /** The prompt that the script stands in: failures of `flaky` are counted by it. */
  readonly prompt: string;
}

const DEFAULT: readonly Step[] = [["text", "Hello from the model."]];
const CALLS = new Set(["bash", "tool", "par", "raw", "held"]);

/** The line of a prompt that makes the scripted model do these steps. */
export function script(...steps: Step[]): string {
  return `MOCK ${JSON.stringify(steps)}`;
}

/**
 * The steps that are due: those of the last user message's script, after as many tool rounds as the history
 * holds behind it. A user message without a script is answered with a greeting.
 */
export function cueOf(messages: readonly Fields[]): Cue {
  const at = messages.findLastIndex((m) => m.role === "user" && !isPictures(m));
  const prompt = contentText(messages[at]?.content);
  const line = [...prompt.matchAll(/^MOCK (\[.*\])\s*$/gm)].at(-1)?.[1];
  if (!line) return { steps: DEFAULT, prompt };
  const round = messages.slice(at + 1).filter(hasCalls).length;
  return { steps: roundsOf(JSON.parse(line))[round] ?? [["text", "Done."]], prompt };
}

/** True for the message that brings the images of tool results; nobody said it. */
export function isPictures({ content }: Fields): boolean {
  return Array.isArray(content) && content.some((part) => part.type === "image_url") &&
    contentText(content).startsWith("[Image of the tool result");
}

/** The text of a message's content, given as a string or as parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((p) => String(p?.text ?? "")).join("\n") : "";
}

function hasCalls(message: Fields): boolean {
  return message.role === "assistant" && Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
}

function roundsOf(steps: readonly Step[]): Step[][] {
  const rounds: Step[][] = [[]];
  for (const step of steps) {
    rounds.at(-1)!.push(step);
    if (CALLS.has(step[0])) rounds.push([]);
  }
  return rounds.filter((round) => round.length > 0);
}
