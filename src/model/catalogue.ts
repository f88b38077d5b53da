import type { ModelRef } from "./model.ts";

/** What is known of a model without asking its provider. */
export interface KnownModel {
  readonly ref: ModelRef;
  /** For people. */
  readonly name: string;
  /** Tokens of context. */
  readonly window: number;
}

/** 1M tokens: what DeepSeek's documentation gives for the whole V4 generation. */
const DEEPSEEK_WINDOW = 1_000_000;

/** The demo model reads everything; the figure only gives the usage display something to divide by. */
const DEMO_WINDOW = 128_000;

const known = (provider: string, model: string, name: string, window: number): KnownModel => ({
  ref: { provider, model },
  name,
  window,
});

/** The models that are offered by name. Any other id passes through all the same. */
export const CATALOGUE: readonly KnownModel[] = [
  known("deepseek", "deepseek-flash", "DeepSeek Flash", DEEPSEEK_WINDOW),
  known("deepseek", "deepseek-v4-pro", "DeepSeek V4 Pro", DEEPSEEK_WINDOW),
  known("deepseek", "deepseek-v4-flash", "DeepSeek V4 Flash", DEEPSEEK_WINDOW),
  known("deepseek", "deepseek-v4-flash-vision-exp", "DeepSeek V4 Flash Vision", DEEPSEEK_WINDOW),
  known("demo", "demo", "Demo (built in, scripted)", DEMO_WINDOW),
];

/** The entry of a model, found by its id; the provider's name is the user's choice and does not count. */
export function knownModel(model: string): KnownModel | undefined {
  return CATALOGUE.find((entry) => entry.ref.model === model);
}

/** Tokens of context of a model id, undefined where nobody has said. */
export function windowOf(model: string): number | undefined {
  return knownModel(model)?.window;
}
