import type { ModelRequest, ThoughtLevel } from "./model.ts";

interface WireMessage {
  role: string;
  content: unknown;
  reasoning_content?: string;
  tool_calls?: { function: { arguments: string } }[];
}

interface WireBody {
  messages: WireMessage[];
  thinking?: { type: "enabled" | "disabled" };
  reasoning_effort?: string;
}

/** DeepSeek's own fields, beside each other at the top of the body. */
function thinking(level: ThoughtLevel): Partial<WireBody> {
  return level === "off"
    ? { thinking: { type: "disabled" } }
    : { thinking: { type: "enabled" }, reasoning_effort: level };
}

/**
 * The body of a request with what the adapters cannot carry:
 *
 * - the arguments of earlier calls as the model wrote them, so that the provider's prefix cache finds its
 *   own text again; the adapters would parse them and write them anew;
 * - `content: ""` and never null, and for DeepSeek `reasoning_content` on every reply, which it refuses to do
 *   without even where it is empty.
 */
export function patchBody(
  body: string,
  request: ModelRequest,
  kind: "deepseek" | "openai-compatible",
): string {
  const value = JSON.parse(body) as WireBody;
  if (kind === "deepseek" && request.thought) Object.assign(value, thinking(request.thought));
  const sent = value.messages.filter((message) => message.role === "assistant");
  const meant = request.messages.filter((message) => message.role === "assistant");
  meant.forEach((message, i) => {
    const wire = sent[i];
    if (!wire) return;
    wire.content = message.text;
    if (kind === "deepseek") wire.reasoning_content = message.reasoning ?? "";
    message.calls.forEach((call, k) => {
      const wireCall = wire.tool_calls?.[k];
      if (wireCall) wireCall.function.arguments = wireArgs(call.args);
    });
  });
  return JSON.stringify(value);
}

/**
 * Argument text as it goes back to the server: as it came if it is a JSON object. Anything else was never run,
 * but servers whose templates parse the history answer 400 or 500 to it for ever, so it is quoted.
 */
function wireArgs(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return args;
  } catch { /* quoted below */ }
  return args.trim() === "" ? "{}" : JSON.stringify({ invalid_json: args });
}
