import type { ContentBlock } from "@agentclientprotocol/sdk";
import { AgentError } from "../errors.ts";

/** What `_session/steering` is asked with: an extension that two other agents share. */
export interface SteeringParams {
  readonly sessionId: string;
  readonly prompt: readonly ContentBlock[];
}

/** What becomes of it: taken up by the running turn, or nothing runs and a prompt is wanted. */
export type SteeringResult =
  | { readonly outcome: "injected" }
  | { readonly outcome: "failed"; readonly idleBehavior: "promptRequired" };

/** Reads the parameters. @throws AgentError("invalid-params") that names what is wrong. */
export function steeringParams(params: unknown): SteeringParams {
  const { sessionId, prompt } = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof sessionId !== "string") throw new AgentError("invalid-params", "`sessionId` must be a text.");
  if (!Array.isArray(prompt) || !prompt.every(isBlock)) {
    throw new AgentError("invalid-params", "`prompt` must be a list of content blocks.");
  }
  return { sessionId, prompt };
}

/** Only as much as is read of a block later: its kind, and the texts of the kinds that are taken. */
function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, uri, name, resource } = value as Readonly<Record<string, unknown>>;
  switch (type) {
    case "text":
      return typeof text === "string";
    case "resource_link":
      return typeof uri === "string" && typeof name === "string";
    case "resource":
      return typeof (resource as { uri?: unknown } | null)?.uri === "string";
    default:
      return type === "image" || type === "audio";
  }
}
