import type { ContentBlock } from "@agentclientprotocol/sdk";
import { AgentError } from "../errors.ts";
import type { PromptPart } from "../session/event.ts";

/**
 * A prompt's content as parts of the session's own kind.
 * @throws AgentError("invalid-params") for content whose capability was not advertised: said, never dropped.
 */
export function promptParts(blocks: readonly ContentBlock[]): PromptPart[] {
  return blocks.map((block): PromptPart => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "resource_link":
        return { type: "link", uri: block.uri, name: block.title ?? block.name };
      case "resource":
        if ("text" in block.resource) {
          return { type: "context", uri: block.resource.uri, text: block.resource.text };
        }
        throw unsupported("embedded binary resource");
      case "image":
      case "audio":
        throw unsupported(block.type);
    }
  });
}

function unsupported(type: string): AgentError {
  return new AgentError(
    "invalid-params",
    `Content of type ${type} is not supported: send text, a link or an embedded text resource.`,
  );
}
