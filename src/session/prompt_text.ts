import type { PromptPart } from "./event.ts";

/** A prompt as the model reads it: text in place, pointers as links, carried text in `<context>`. */
export function promptText(parts: readonly PromptPart[]): string {
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "link":
        return `[${part.name}](${part.uri})`;
      case "context":
        return `<context uri="${part.uri}">\n${part.text}\n</context>`;
    }
  }).join("\n");
}
