import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import type { PromptPart } from "../session/event.ts";
import { base64Bytes } from "../tool/base64.ts";
import type { Block } from "../tool/view.ts";
import { clip, CONTENT_BYTES, IMAGE_BYTES, jsonBytes, NAME_BYTES, PATH_BYTES, splitText } from "./bounds.ts";

/** A text as content of a call. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** A card's blocks as content, within `max` bytes: long ones are clipped, and what does not fit is counted. */
export function blocksContent(blocks: readonly Block[], max: number = CONTENT_BYTES): ToolCallContent[] {
  const content: ToolCallContent[] = [];
  let left = max;
  for (const [i, block] of blocks.entries()) {
    const one = blockContent(block, left);
    left -= jsonBytes(one);
    if (left < 0) {
      const what = block.type === "diff" ? "changes" : "parts";
      content.push(textContent(`… ${blocks.length - i} more ${what} left out …`));
      break;
    }
    content.push(one);
  }
  return content;
}

function blockContent(block: Block, max: number): ToolCallContent {
  switch (block.type) {
    case "text":
      return textContent(clip(block.text, max));
    case "image":
      return { type: "content", content: imageContent(block, max) };
    case "diff": {
      const path = clip(block.path, PATH_BYTES);
      const half = Math.max(0, Math.floor((max - jsonBytes(path)) / 2) - 200); // room for the keys
      return {
        type: "diff",
        path,
        // Left out for a new file: some clients break on null.
        ...(block.oldText === undefined ? {} : { oldText: clip(block.oldText, half) }),
        newText: clip(block.newText, half),
      };
    }
  }
}

/** The picture itself where it fits, else where it lies. */
function imageContent(
  { mimeType, data, path }: Extract<Block, { type: "image" }>,
  max: number,
): ContentBlock {
  const size = base64Bytes(data);
  const room = Math.max(0, max - 200); // for the keys
  if (data.length <= room) return { type: "image", mimeType, data };
  if (path === undefined) return tooLarge(mimeType, size);
  const name = clip(path.slice(path.lastIndexOf("/") + 1), NAME_BYTES);
  return { type: "resource_link", uri: clip(fileUrl(path), PATH_BYTES), name, mimeType, size };
}

/** A `file:` URL of an absolute path. */
function fileUrl(path: string): string {
  return `file://${path.split("/").map(encodePart).join("/")}`;
}

/** Halves of a surrogate pair are no part of any file's name, and cannot be encoded. */
function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

/** A part of a prompt as the user's message chunks. */
export function promptContent(part: PromptPart): ContentBlock[] {
  switch (part.type) {
    case "text":
      return splitText(part.text).map((text) => ({ type: "text", text }));
    case "link":
      return [{ type: "resource_link", uri: clip(part.uri, PATH_BYTES), name: clip(part.name, PATH_BYTES) }];
    case "context":
      return [{
        type: "resource",
        resource: { uri: clip(part.uri, PATH_BYTES), text: clip(part.text, CONTENT_BYTES) },
      }];
    case "image":
      return [promptImage(part)];
    case "binary":
      return [pointer(part.uri, part.mimeType, part.size)];
  }
}

/** The picture where it fits, else where it lies, else that there was one. */
function promptImage({ mimeType, data, uri }: Extract<PromptPart, { type: "image" }>): ContentBlock {
  const of = uri === undefined ? {} : { uri: clip(uri, PATH_BYTES) };
  if (data.length <= IMAGE_BYTES) return { type: "image", mimeType, data, ...of };
  const size = base64Bytes(data);
  if (uri === undefined) return tooLarge(mimeType, size);
  return pointer(uri, mimeType, size);
}

function pointer(uri: string, mimeType: string | undefined, size: number): ContentBlock {
  const name = clip(uri.slice(uri.lastIndexOf("/") + 1) || uri, NAME_BYTES);
  const type = mimeType === undefined ? {} : { mimeType: clip(mimeType, NAME_BYTES) };
  return { type: "resource_link", uri: clip(uri, PATH_BYTES), name, ...type, size };
}

function tooLarge(mimeType: string, size: number): ContentBlock {
  return { type: "text", text: `[${mimeType}, ${size} bytes: too large to be shown]` };
}
