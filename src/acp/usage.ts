import type { PromptResponse } from "@agentclientprotocol/sdk";
import type { ModelUsage } from "../model/model.ts";
import type { TurnEnd } from "../session/turn_usage.ts";

/** A prompt's answer. `usage` is of the unstable schema; clients that do not know it pass over it. */
export function promptResponse({ stop, usage }: TurnEnd): PromptResponse {
  return { stopReason: stop, ...(usage ? { usage: tokens(usage) } : {}) };
}

function tokens({ inputTokens = 0, outputTokens = 0, reasoningTokens, cachedTokens }: ModelUsage) {
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    ...(reasoningTokens === undefined ? {} : { thoughtTokens: reasoningTokens }),
    ...(cachedTokens === undefined ? {} : { cachedReadTokens: cachedTokens }),
  };
}
