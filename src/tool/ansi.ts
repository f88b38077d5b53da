import { stripVTControlCharacters } from "node:util";

/** A text without the colours, titles and cursor moves that only a terminal understands. */
export function withoutAnsi(text: string): string {
  return text.includes("\u001b") ? stripVTControlCharacters(text) : text;
}
