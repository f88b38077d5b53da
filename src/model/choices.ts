import type { Config } from "../config/config.ts";
import { CATALOGUE } from "./catalogue.ts";
import { modelName, parseModel, resolveModel, seesImages } from "./providers.ts";
import type { ModelRef } from "./model.ts";

/** The models that a user can choose from without asking any provider. */
export interface ModelChoices {
  /** `provider/model` of the one in use. */
  readonly current: string;
  /** Does the one in use take a thought level? */
  readonly thinks: boolean;
  /** By provider, only those that are set up. */
  readonly groups: readonly {
    readonly provider: string;
    readonly models: readonly { id: string; name: string }[];
  }[];
}

/**
 * What can be chosen where `id` (or, without it, the configured model) is in use. Undefined where no model is
 * set up: then there is nothing to choose from.
 */
export function modelChoices(config: Config, id?: string): ModelChoices | undefined {
  const current = inUse(config, id);
  if (!current) return undefined;
  const groups = Object.keys(config.providers).filter((name) => isSetUp(name, config)).map((provider) => ({
    provider,
    models: modelsOf(provider, current, config),
  })).filter((group) => group.models.length > 0);
  if (!groups.some((group) => group.provider === current.provider)) {
    groups.unshift({ provider: current.provider, models: [{ id: modelName(current), name: current.model }] });
  }
  return { current: modelName(current), thinks: thinks(current, config), groups };
}

/** A model, and whether it takes images. */
export interface Eyes {
  /** `provider/model`. */
  readonly model: string;
  readonly sees: boolean;
}

/** The same of the model that is in use; undefined where no model is set up. */
export function eyesOf(config: Config, id?: string): Eyes | undefined {
  const current = inUse(config, id);
  return current && { model: modelName(current), sees: seesImages(current, config) };
}

function inUse(config: Config, id: string | undefined): ModelRef | undefined {
  try {
    return id ? parseModel(id, config) : resolveModel(config);
  } catch {
    return undefined; // said by the next prompt
  }
}

/** The catalogue's models of a provider's kind, and the one in use whether it is listed or not. */
function modelsOf(provider: string, current: ModelRef, config: Config): { id: string; name: string }[] {
  const kind = config.providers[provider]?.kind;
  const listed = CATALOGUE.filter((m) => m.ref.provider === kind).map((m) => ({
    id: modelName({ provider, model: m.ref.model }),
    name: m.name,
  }));
  const own = { id: modelName(current), name: current.model };
  return current.provider === provider && !listed.some((m) => m.id === own.id) ? [own, ...listed] : listed;
}

function isSetUp(name: string, config: Config): boolean {
  const provider = config.providers[name];
  return provider !== undefined && (provider.kind === "demo" || Boolean(provider.apiKey ?? provider.baseURL));
}

function thinks({ provider }: ModelRef, config: Config): boolean {
  return (config.providers[provider]?.kind ?? provider) === "deepseek";
}
