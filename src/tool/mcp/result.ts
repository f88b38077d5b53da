import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import { base64Bytes } from "../base64.ts";
import type { Outcome } from "../tool.ts";
import { mcpFacts, RESOURCE_TOOL } from "./card.ts";
import { Pictures } from "./pictures.ts";
import { cut, plainLineOf, resultText } from "./text.ts";

/** Characters of a result that the model reads. */
export const MAX_RESULT: number = 50 * 1024;
const MAX_LINE = 500;

/** Whose result it is. */
export interface Source {
  /** As people and the model know it. */
  readonly server: string;
  readonly tool: string;
  /** Can the model read what a link points to, with the tool for resources? */
  readonly hasResources: boolean;
  /** Takes the server's secrets out. */
  readonly redact: (text: string) => string;
}

/** What a call gave: text, the model's and the card's, and images. */
export function outcomeOf(result: CallToolResult, { server, tool, hasResources, redact }: Source): Outcome {
  const pictures = new Pictures();
  const parts = result.content.map((block) => blockText(block, pictures));
  // Servers that give structured content say it as text too; where one does not, it is all there is.
  if (!result.content.some((block) => block.type === "text") && result.structuredContent !== undefined) {
    parts.push(JSON.stringify(result.structuredContent));
  }
  const text = resultText(redact(parts.filter((part) => part !== "").join("\n")), MAX_RESULT);
  const isLinked = hasResources && result.content.some((block) => block.type === "resource_link");
  const how = isLinked
    ? `\n[${RESOURCE_TOOL} reads a linked resource: server "${server}", and its uri.]`
    : "";
  return {
    text: text === "" ? "(The tool gave no result.)" : `${text}${how}`,
    isError: result.isError === true,
    facts: mcpFacts(server, tool),
    images: pictures.images,
  };
}

/** What a resource holds: text, and images, which `pictures` take in. */
export function resourceText(result: ReadResourceResult, pictures: Pictures): string {
  return result.contents.map((content) =>
    "text" in content ? content.text : blobText(content.mimeType, content.blob, pictures)
  ).join("\n");
}

/** One block of a result or a prompt, as text. Without `pictures` no image is shown. */
export function blockText(block: ContentBlock, pictures?: Pictures): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return imageText("image", block.mimeType, block.data, pictures);
    case "audio":
      return binaryNote("audio", block.mimeType, block.data);
    case "resource": {
      const uri = plainLineOf(block.resource.uri, MAX_LINE);
      return "text" in block.resource
        ? `[resource ${uri}]\n${block.resource.text}`
        : `${uri} ${blobText(block.resource.mimeType, block.resource.blob, pictures)}`;
    }
    case "resource_link": {
      const { uri, name, description, mimeType, size } = block;
      const what = [
        plainLineOf(name, MAX_LINE),
        ...(mimeType === undefined ? [] : [plainLineOf(mimeType, 60)]),
        ...(size === undefined ? [] : [`${size} bytes`]),
      ].join(", ");
      const about = description ? `: ${plainLineOf(description, MAX_LINE)}` : "";
      return `[resource ${plainLineOf(uri, MAX_LINE)} (${what})${about}]`;
    }
  }
}

/** Bytes of a resource: an image where the server or, if it says nothing, the bytes say so. */
function blobText(mimeType: string | undefined, base64: string, pictures: Pictures | undefined): string {
  if (mimeType?.startsWith("image/")) return imageText("resource", mimeType, base64, pictures);
  const isUntold = mimeType === undefined || mimeType === "application/octet-stream";
  const taken = isUntold ? pictures?.take(base64) : undefined;
  return taken && "number" in taken ? shownText(taken) : binaryNote("resource", mimeType, base64);
}

function imageText(
  what: "image" | "resource",
  mimeType: string,
  base64: string,
  pictures: Pictures | undefined,
): string {
  const taken = pictures?.take(base64);
  if (taken && "number" in taken) return shownText(taken);
  return binaryNote(what, mimeType, base64, taken?.fault);
}

function shownText(
  { number, mimeType, size }: { readonly number: number; readonly mimeType: string; readonly size: number },
): string {
  return `[image ${number}: ${mimeType}, ${size} bytes]`;
}

function binaryNote(what: string, mimeType: string | undefined, base64: string, why?: string): string {
  const type = mimeType ? `, ${cut(mimeType, 60)}` : "";
  return `[${what}${type}, ${base64Bytes(base64)} bytes: not shown${
    why === undefined ? "" : `, since ${why}`
  }]`;
}
