import type { ModelMessage, PlacedImage } from "../../model/model.ts";
import { base64Bytes } from "../../tool/base64.ts";
import type { PromptPart, SessionEvent } from "../event.ts";
import { mentionOf, shown, shownUri } from "./mention.ts";

/** What the user says, as the model is sent it. */
export type UserMessage = Extract<ModelMessage, { role: "user" }>;

/** A part as it is read. `inline` stands in a sentence, `block` on lines of its own. */
interface Piece {
  readonly text: string;
  readonly flow: "text" | "inline" | "block";
  readonly image?: Extract<PromptPart, { type: "image" }>;
}

/**
 * A prompt as the model reads it, everything where the user put it: text to the letter, pointers as a phrase in
 * brackets, carried text in `<context>`, pictures behind a phrase that says where they stood. Pure.
 */
export function promptMessage(parts: readonly PromptPart[]): UserMessage {
  let text = "";
  let before: Piece | undefined;
  const images: PlacedImage[] = [];
  for (const piece of parts.map(pieceOf)) {
    text += (before ? between(before, piece) : "") + piece.text;
    if (piece.image) {
      const { mimeType, data } = piece.image;
      images.push({ mimeType, data, at: text.length });
    }
    before = piece;
  }
  return { role: "user", text, ...(images.length > 0 ? { images } : {}) };
}

/** The same in words alone. */
export function promptText(parts: readonly PromptPart[]): string {
  return promptMessage(parts).text;
}

/** What the model reads of a logged prompt; undefined: nothing, since this program answers it by itself. Pure. */
export function messageOfPrompt(
  event: Extract<SessionEvent, { type: "turn.started" | "steered" }>,
): UserMessage | undefined {
  const modelText = event.type === "turn.started" ? event.modelText : undefined;
  if (modelText === null) return undefined;
  if (modelText === undefined) return promptMessage(event.prompt);
  return promptMessage([{ type: "text", text: modelText }, ...event.prompt.slice(1)]);
}

function pieceOf(part: PromptPart): Piece {
  switch (part.type) {
    case "text":
      return { text: part.text, flow: "text" };
    case "link":
      return { text: linkText(part), flow: "inline" };
    case "context":
      return { text: contextText(part), flow: "block" };
    case "image": {
      const of = part.uri === undefined ? "" : `: ${sourceOf(part.uri)}`;
      return {
        text: `[image${of}, ${typeAndSize(part.mimeType, base64Bytes(part.data))}]`,
        flow: "inline",
        image: part,
      };
    }
    case "binary": {
      const type = typeAndSize(part.mimeType, part.size);
      return {
        text: `[${sourceOf(part.uri)}, ${type}: it came as bytes that were not read]`,
        flow: "inline",
      };
    }
  }
}

function linkText({ uri, name }: Extract<PromptPart, { type: "link" }>): string {
  const mention = mentionOf(uri, name);
  return mention ? `[${mention.phrase}]` : `[${shown(name)}](${shownUri(uri)})`;
}

/** No text can end the element that it stands in: its name is one that the text does not use. */
function contextText({ uri, text }: Extract<PromptPart, { type: "context" }>): string {
  const used = new Set([...text.matchAll(/<\/?context(?:-(\d+))?/gi)].map(([, n]) => Number(n ?? 1)));
  let n = 1;
  while (used.has(n)) n++;
  const tag = n === 1 ? "context" : `context-${n}`;
  const source = sourceOf(uri).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<${tag} source="${source}">\n${text}\n</${tag}>`;
}

function sourceOf(uri: string): string {
  return mentionOf(uri)?.phrase ?? shownUri(uri);
}

function typeAndSize(mimeType: string | undefined, size: number): string {
  return `${mimeType ? `${shown(mimeType)}, ` : ""}${size} bytes`;
}

/**
 * What stands between two parts. Some editors cut a sentence around a mention in it, and there the text brings
 * its own space; others send one part a thought, which then gets a line of its own.
 */
function between(before: Piece, after: Piece): string {
  const flows = `${before.flow} ${after.flow}`;
  if (flows === "text inline" && /[\s([{'"“‘]$/.test(before.text)) return "";
  if (flows === "inline text" && /^[\s.,;:!?)\]}'"”’]/.test(after.text)) return "";
  return "\n";
}
