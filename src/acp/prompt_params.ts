import { AgentError } from "../errors.ts";

/** What `session/prompt` is asked with, and `_session/steering`, an extension that two other agents share. */
export interface PromptParams {
  readonly sessionId: string;
  /** Content blocks, not looked at yet: `promptParts` says of each what is wrong with it. */
  readonly prompt: readonly unknown[];
}

/** Reads the parameters. @throws AgentError("invalid-params") that names what is wrong. */
export function promptParams(params: unknown): PromptParams {
  const { sessionId, prompt } = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof sessionId !== "string") throw new AgentError("invalid-params", "`sessionId` must be a text.");
  if (!Array.isArray(prompt)) {
    throw new AgentError("invalid-params", "`prompt` must be a list of content blocks.");
  }
  return { sessionId, prompt };
}
