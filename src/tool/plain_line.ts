import { oneLine } from "../errors.ts";

/** A code span: backticks, and as many again. */
const CODE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
/** What Markdown reads as more than itself inside of a line. */
const MARKUP = /[\\`*[\]<~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu;
/** What it reads as a heading, a list or a quote at the start of one. */
const LEAD = /^(?:#{1,6}(?=\s)|[-+>]|\d+(?=[.)]\s))/;

/**
 * A text as one line of Markdown, of at most `max` characters before marks are added, that reads word for
 * word; only code in backticks stays code.
 */
export function plainLine(text: string, max: number): string {
  const line = oneLine(text, max);
  let shown = "";
  let at = 0;
  for (const match of line.matchAll(CODE)) {
    shown += escaped(line.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  shown += escaped(line.slice(at));
  return shown.replace(LEAD, (lead) => /\d/.test(lead) ? `${lead}\\` : `\\${lead}`);
}

function escaped(text: string): string {
  return text.replace(MARKUP, "\\$&");
}
