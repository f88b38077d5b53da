import type { PromptPart } from "../event.ts";
import { mentionOf, shown } from "./mention.ts";

/** Characters that are taken of one embedded text. */
export const CONTEXT_CHARS: number = 64 * 1024;
/** Characters that are taken of all embedded texts of a prompt. */
export const CONTEXTS_CHARS: number = 256 * 1024;

/**
 * The prompt with its embedded texts cut to what log and model should carry: of a longer one start and end stay,
 * and a note between them says what is left out and how to see it. What the user wrote is never cut. Pure.
 */
export function boundContexts(parts: readonly PromptPart[]): PromptPart[] {
  let left = CONTEXTS_CHARS;
  return parts.map((part) => {
    if (part.type !== "context") return part;
    const max = Math.min(left, CONTEXT_CHARS);
    left -= Math.min(part.text.length, max);
    return part.text.length <= max ? part : { ...part, text: excerpt(part.text, max, part.uri) };
  });
}

function excerpt(text: string, max: number, uri: string): string {
  const head = text.slice(0, lineEnd(text, Math.floor(max * 3 / 4)));
  const tail = text.slice(lineStart(text, text.length - Math.floor(max / 4)));
  const { path, line = 1 } = mentionOf(uri) ?? {};
  const middle = text.slice(head.length, text.length - tail.length);
  const from = line + breaksIn(head);
  const to = from + breaksIn(middle.replace(/\n$/, ""));
  const cure = path === undefined
    ? ""
    : ` (lines ${from}–${to}): to see them, call read with path ${shown(path, 4096)} and offset ${from}`;
  const note = `[… ${middle.length} of ${text.length} characters left out here${cure} …]`;
  return [head.replace(/\n$/, ""), note, tail].filter((piece) => piece !== "").join("\n");
}

/** The end of the last whole line before `max`; where that would cost much, of the last whole character. */
function lineEnd(text: string, max: number): number {
  const end = text.lastIndexOf("\n", max - 1) + 1;
  return end > max / 2 ? end : max - (isLow(text, max) ? 1 : 0);
}

/** The start of the first whole line from `min` on, or of the first whole character. */
function lineStart(text: string, min: number): number {
  const start = text.indexOf("\n", min - 1) + 1;
  return start > 0 && start - min < (text.length - min) / 2 ? start : min + (isLow(text, min) ? 1 : 0);
}

/** Is it the second half of a pair? */
function isLow(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at));
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1;
}
