import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import type { Outcome } from "../tool.ts";
import { mcpFacts } from "./card.ts";
import { cut, plainLineOf, resultText } from "./text.ts";

/** Characters of a result that the model reads. */
export const MAX_RESULT: number = 50 * 1024;
const MAX_LINE = 500;

/** What a call gave, as text: the model's, and the card's. `redact` takes the server's secrets out. */
export function outcomeOf(
  server: string,
  tool: string,
  result: CallToolResult,
  redact: (text: string) => string,
): Outcome {
  const parts = result.content.map(blockText);
  // Servers that give structured content say it as text too; where one does not, it is all there is.
  if (!result.content.some((block) => block.type === "text") && result.structuredContent !== undefined) {
    parts.push(JSON.stringify(result.structuredContent));
  }
  const text = redact(parts.filter((part) => part !== "").join("\n"));
  return {
    text: text === "" ? "(The tool gave no result.)" : resultText(text, MAX_RESULT),
    isError: result.isError === true,
    facts: mcpFacts(server, tool),
  };
}

/** What a resource holds, as text. */
export function resourceText(result: ReadResourceResult): string {
  return result.contents.map((content) =>
    "text" in content ? content.text : binaryNote("resource", content.mimeType, content.blob)
  ).join("\n");
}

/** One block of a result or a prompt, as text. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return binaryNote(block.type, block.mimeType, block.data);
    case "resource":
      return "text" in block.resource
        ? `[resource ${plainLineOf(block.resource.uri, MAX_LINE)}]\n${block.resource.text}`
        : `${plainLineOf(block.resource.uri, MAX_LINE)} ${
          binaryNote("resource", block.resource.mimeType, block.resource.blob)
        }`;
    case "resource_link": {
      const about = block.description ? `: ${plainLineOf(block.description, MAX_LINE)}` : "";
      return `[resource ${plainLineOf(block.uri, MAX_LINE)} (${plainLineOf(block.name, MAX_LINE)})${about}]`;
    }
  }
}

function binaryNote(what: string, mimeType: string | undefined, base64: string): string {
  const bytes = Math.floor(base64.length * 3 / 4);
  return `[${what}${mimeType ? `, ${cut(mimeType, 60)}` : ""}, ${bytes} bytes: not shown]`;
}
