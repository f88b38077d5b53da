import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
} from "@ai-sdk/provider";
import type { HiddenImages } from "./image_refusal.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";
import { type ImageMessage, withImages } from "./images.ts";

/** A request in the adapters' terms. What they cannot carry is put in by {@linkcode patchBody}. */
export function toCallOptions(
  request: ModelRequest,
  sees: boolean,
  hidden: HiddenImages,
): Pick<LanguageModelV4CallOptions, "prompt" | "tools"> {
  const system: LanguageModelV4Message[] = request.system
    ? [{ role: "system", content: request.system }]
    : [];
  return {
    prompt: [...system, ...withImages(request.messages, sees, hidden).map(toMessage)],
    tools: request.tools.map((tool): LanguageModelV4FunctionTool => ({
      type: "function",
      name: tool.name,
      description: tool.description,
      inputSchema: tool.schema as LanguageModelV4FunctionTool["inputSchema"],
    })),
  };
}

function toMessage(message: ModelMessage | ImageMessage): LanguageModelV4Message {
  if (message.role === "images") return { role: "user", content: message.content };
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "tool":
      return {
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: message.callId,
          toolName: message.name,
          output: { type: message.isError ? "error-text" : "text", value: message.text },
        }],
      };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(message.reasoning ? [{ type: "reasoning", text: message.reasoning } as const] : []),
          ...(message.text ? [{ type: "text", text: message.text } as const] : []),
          // The arguments follow by patchBody: the adapters would write them anew, or twice.
          ...message.calls.map(({ id, name }) =>
            ({ type: "tool-call", toolCallId: id, toolName: name, input: {} }) as const
          ),
        ],
      };
  }
}
