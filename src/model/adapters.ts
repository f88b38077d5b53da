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

/** One module a kind, loaded when first wanted: it takes some 40 ms that the agent's start need not pay. */
const MODULES = {
  "deepseek": () => import("@ai-sdk/deepseek"),
  "openai-compatible": () => import("@ai-sdk/openai-compatible"),
} as const;

/** Loads a kind's module ahead of its first use. Never rejects: a failure shows at that use. */
export async function prepareAdapter(kind: AdapterSettings["kind"]): Promise<void> {
  await MODULES[kind]().catch(() => {});
}

/** The adapter of a provider. */
export async function loadAdapter(settings: AdapterSettings): Promise<LanguageModelV4> {
  const { apiKey, baseURL, fetch } = settings;
  const optional = { ...(apiKey ? { apiKey } : {}) };
  if (settings.kind === "deepseek") {
    const { createDeepSeek } = await MODULES.deepseek();
    return createDeepSeek({ ...optional, ...(baseURL ? { baseURL } : {}), fetch })(settings.model);
  }
  const { createOpenAICompatible } = await MODULES["openai-compatible"]();
  const provider = createOpenAICompatible({
    ...optional,
    name: settings.name,
    baseURL: baseURL ?? "",
    includeUsage: true,
    fetch,
  });
  return provider.chatModel(settings.model);
}
