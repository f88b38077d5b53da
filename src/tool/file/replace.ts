import { missHint } from "./edit_hint.ts";
import { ToolFault } from "../fault.ts";
import { type LineEnds, lineEndsOf, withLineEnds } from "./text_format.ts";

/** One replacement. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** Why a replacement cannot be made. */
export class EditFault extends ToolFault {
  override readonly name = "EditFault";
}

/** Lines that a message names at most. */
const MAX_NAMED = 10;

/**
 * Makes all replacements in order, or none. Line ends of `old_string` count as those of the file, and what is put
 * in gets the file's own. The first `top` of them stood at the top of the arguments, the rest in `edits`.
 * @throws EditFault that says which replacement cannot be made and what to do.
 */
export function applyReplacements(text: string, replacements: readonly Replacement[], top = 0): string {
  const ends = lineEndsOf(text);
  return replacements.reduce((current, replacement, i) => {
    // A replacement may take the last line end away: what the next one puts in gets those that the file had.
    const endsNow = ends === "crlf" ? ends : lineEndsOf(current);
    return applyOne(current, replacement, i < top ? "" : `edits[${i - top}]: `, endsNow);
  }, text);
}

function applyOne(text: string, replacement: Replacement, which: string, ends: LineEnds): string {
  const { old_string, new_string, replace_all } = replacement;
  if (!old_string.isWellFormed()) {
    throw new EditFault(`${which}old_string holds half of a character (a lone surrogate).`);
  }
  if (old_string === "") {
    throw new EditFault(
      `${which}old_string is empty.`,
      "Give the text to replace; to create a file use write.",
      "Not changed: no text to replace was given.",
    );
  }
  if (old_string === new_string) {
    throw new EditFault(
      `${which}old_string and new_string are the same: there is nothing to change.`,
      "",
      "Not changed: the old and the new text are the same.",
    );
  }
  if (!new_string.isWellFormed()) {
    throw new EditFault(
      `${which}new_string holds half of a character (a lone surrogate).`,
      "",
      "Not changed: the new text holds half of a character.",
    );
  }
  const found = locate(text, old_string);
  if (!found) {
    throw new EditFault(
      `${which}old_string was not found.`,
      missHint(text, replacement),
      "Not changed: the text to replace was not found.",
    );
  }
  if (found.places.length > 1 && !replace_all) {
    const named = found.places.slice(0, MAX_NAMED).map((at) => lineAt(text, at)).join(", ");
    const more = found.places.length > MAX_NAMED ? ", …" : "";
    const times = `was found ${found.places.length} times (lines ${named}${more})`;
    throw new EditFault(
      `${which}old_string ${times}.`,
      "Add lines around it to make it unique, or set replace_all.",
      `Not changed: the text to replace ${times}.`,
    );
  }
  const meant = found.needle === old_string ? new_string : withLineEnds(new_string, kindOf(found.needle));
  // A function, since a replacement text may hold `$&` and its like.
  const put = (match: string, at: number) => {
    const added = withEndsOf(meant, { text, ends, at: at + match.length });
    // The CR that was taken along belongs to the line above: it stays, where that line still has an end there.
    return match.length > found.needle.length && /^\n/.test(added) ? `\r${added}` : added;
  };
  const needle = wholeLineEnd(found.needle);
  const after = replace_all ? text.replaceAll(needle, put) : text.replace(needle, put);
  if (after === text) {
    throw new EditFault(
      `${which}the file would stay as it is: there is nothing to change.`,
      "",
      "Not changed: the file would stay as it is.",
    );
  }
  return after;
}

/** Where the text stands, exactly or with other line ends; all places, overlapping ones too. */
function locate(text: string, wanted: string): { needle: string; places: number[] } | undefined {
  const needles = [wanted, withLineEnds(wanted, "crlf"), withLineEnds(wanted, "lf")];
  const needle = needles.find((n) => text.includes(n));
  if (needle === undefined) return undefined;
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) places.push(at);
  return { needle, places };
}

/** A needle that begins with LF takes the CR before it along: half a line end is never replaced. */
function wholeLineEnd(needle: string): string | RegExp {
  return needle.startsWith("\n") ? new RegExp(`\r?${RegExp.escape(needle)}`, "g") : needle;
}

/** The line ends of a needle that was given others to be found. */
function kindOf(needle: string): "lf" | "crlf" {
  return needle.includes("\r\n") ? "crlf" : "lf";
}

/** New text with the line ends around its place; a text that has CRLF itself means it, but in a CRLF file. */
function withEndsOf(
  added: string,
  { text, ends, at }: { readonly text: string; readonly ends: LineEnds; readonly at: number },
): string {
  if (ends === "crlf") return withLineEnds(added, "crlf");
  if (ends !== "mixed" || added.includes("\r\n")) return added;
  const end = text.indexOf("\n", at);
  return end > 0 && text[end - 1] === "\r" ? withLineEnds(added, "crlf") : added;
}

/** 1-based. */
function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}
