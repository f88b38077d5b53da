import type { Config, ModelConfig, ProviderConfig } from "../config/config.ts";
import { secretsOf } from "../config/config.ts";
import { AgentError } from "../errors.ts";
import { CATALOGUE, knownModel, windowOf } from "./catalogue.ts";
import type { ChatOptions } from "./chat.ts";
import { LOCAL_SERVERS } from "./local_server.ts";
import { type Model, ModelError, type ModelRef } from "./model.ts";

/** The model that a DeepSeek key alone chooses. */
const DEEPSEEK_DEFAULT = "deepseek-flash";

/** Where `openai-compatible` goes with a key and no base URL. */
const OPENAI_URL = "https://api.openai.com/v1";

/** `provider/model`, as people write it. */
export function modelName(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}

/**
 * The model to use: the configured one, else that of the first provider that has a key; undefined if there
 * is none (then {@linkcode findLocalModel} may know one).
 * @throws AgentError("config") for a configured id that cannot be read.
 */
export function resolveModel(config: Config): ModelRef | undefined {
  if (config.model !== undefined) return parseModel(config.model, config);
  const keyed = Object.entries(config.providers).find(([, p]) => p.kind === "deepseek" && p.apiKey);
  return keyed && { provider: keyed[0], model: DEEPSEEK_DEFAULT };
}

/**
 * Reads a model id: `provider/model`, where the model may hold further slashes, or a bare id where it is
 * plain which provider is meant.
 * @throws AgentError("config") if it is not.
 */
export function parseModel(text: string, config: Config): ModelRef {
  const id = text.trim();
  const slash = id.indexOf("/");
  if (slash > 0 && slash < id.length - 1) {
    return { provider: id.slice(0, slash), model: id.slice(slash + 1) };
  }
  if (id !== "" && slash < 0) {
    const listed = CATALOGUE.find((entry) => entry.ref.model === id);
    const reachable = Object.keys(config.providers).filter((name) => isReachable(config.providers[name]!));
    const [only, another] = reachable;
    if (only !== undefined && another === undefined) return { provider: only, model: id };
    if (listed) return listed.ref;
  }
  throw new AgentError(
    "config",
    `The model id "${id}" does not say which provider: write provider/model, e.g. deepseek/${DEEPSEEK_DEFAULT} ` +
      `(providers: ${knownProviders(config).join(", ")}).`,
  );
}

/** The names that may stand before the `/` of a model id. */
export function knownProviders(config: Config): string[] {
  const builtIn = ["deepseek", "openai-compatible", ...LOCAL_SERVERS.map((s) => s.name), "demo"];
  return [...new Set([...Object.keys(config.providers), ...builtIn])];
}

/**
 * Opens a model. Nothing is sent yet; the provider's adapter is loaded by the first `stream`.
 * @throws AgentError("config") for a provider that is not known, ModelError("auth") for one without its key.
 */
export async function openModel(ref: ModelRef, config: Config, options: ChatOptions = {}): Promise<Model> {
  const provider = providerFor(ref, config);
  if (provider.kind === "demo") {
    const { demoModel } = await import("./demo.ts");
    return demoModel(options.sleep ? { sleep: options.sleep } : {});
  }
  const { chatModel } = await import("./chat.ts");
  const told = toldOf(ref, config);
  return chatModel({
    ref,
    window: told?.window ?? windowOf(ref.model),
    price: told?.price,
    sees: seesImages(ref, config),
    kind: provider.kind,
    apiKey: provider.apiKey,
    baseURL: provider.baseURL ?? (provider.kind === "openai-compatible" ? OPENAI_URL : undefined),
    secrets: secretsOf(config),
  }, options);
}

/** Does a model take images, as far as the settings and the catalogue tell? */
export function seesImages(ref: ModelRef, config: Config): boolean {
  if (providerOf(ref.provider, config)?.kind === "demo") return false;
  return toldOf(ref, config)?.vision ?? knownModel(ref.model)?.sees ?? false;
}

/** Could a prompt be sent, as far as the settings tell? */
export function isSetUp(config: Config): boolean {
  try {
    const ref = resolveModel(config);
    return ref !== undefined && providerFor(ref, config) !== undefined;
  } catch {
    return false;
  }
}

/** @throws AgentError("config") for a provider that is not known, ModelError("auth") for one without its key. */
function providerFor(ref: ModelRef, config: Config): ProviderConfig {
  const provider = providerOf(ref.provider, config);
  if (!provider) {
    throw new AgentError(
      "config",
      `There is no provider "${ref.provider}" (model ${modelName(ref)}); known: ${
        knownProviders(config).join(", ")
      }.`,
    );
  }
  if (provider.kind !== "demo") requireKey(ref.provider, provider);
  return provider;
}

/** What is configured, else what is known by name: the kinds themselves and the local servers. */
function providerOf(name: string, config: Config): ProviderConfig | undefined {
  if (Object.hasOwn(config.providers, name)) return config.providers[name];
  if (name === "deepseek" || name === "openai-compatible" || name === "demo") return { kind: name };
  const local = LOCAL_SERVERS.find((server) => server.name === name);
  return local && { kind: "openai-compatible", baseURL: local.baseURL };
}

/** What the user says of a model. */
function toldOf(ref: ModelRef, { models }: Config): ModelConfig | undefined {
  const name = [modelName(ref), ref.model].find((name) => Object.hasOwn(models, name));
  return name === undefined ? undefined : models[name];
}

function isReachable(provider: ProviderConfig): boolean {
  return provider.kind !== "demo" && Boolean(provider.apiKey ?? provider.baseURL);
}

/** A server with a base URL of its own may want no key; the providers' own endpoints always do. */
function requireKey(name: string, provider: ProviderConfig): void {
  if (provider.apiKey) return;
  const otherwise = "or choose another model with DSH_MODEL or --model.";
  if (provider.kind === "openai-compatible") {
    if (provider.baseURL) return;
    throw new ModelError(
      "auth",
      `No key for ${name}: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none, ${otherwise}`,
    );
  }
  const where = name === "deepseek"
    ? "run dsh-acp login, or set DEEPSEEK_API_KEY"
    : `set apiKeyEnv of provider "${name}" in the config file`;
  throw new ModelError(
    "auth",
    `No key for ${name === "deepseek" ? "DeepSeek" : name}: ${where}, ${otherwise}`,
  );
}
