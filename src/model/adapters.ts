import type { LanguageModelV4 } from "@ai-sdk/provider";

/** What an adapter needs to speak to a provider. */
export interface AdapterSettings {
  readonly kind: "deepseek" | "openai-compatible";
  readonly name: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Undefined: the provider's own. */
  readonly baseURL: string | undefined;
  readonly fetch: typeof fetch;
}

/** Loads the adapter of a provider, by the first call only: it takes some 30 ms that a start need not pay. */
export async function loadAdapter(settings: AdapterSettings): Promise<LanguageModelV4> {
  const { apiKey, baseURL, fetch } = settings;
  const optional = { ...(apiKey ? { apiKey } : {}) };
  if (settings.kind === "deepseek") {
    const { createDeepSeek } = await import("@ai-sdk/deepseek");
    return createDeepSeek({ ...optional, ...(baseURL ? { baseURL } : {}), fetch })(settings.model);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    ...optional,
    name: settings.name,
    baseURL: baseURL ?? "",
    includeUsage: true,
    fetch,
  });
  return provider.chatModel(settings.model);
}
