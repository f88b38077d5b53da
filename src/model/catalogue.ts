import type { ModelRef } from "./model.ts";

/** What is known of a model without asking its provider. */
export interface KnownModel {
  readonly ref: ModelRef;
  /** For people. */
  readonly name: string;
  /** Tokens of context. */
  readonly window: number;
  /** Does it take images? */
  readonly sees: boolean;
}

/** 1M tokens: what DeepSeek's documentation gives for the whole V4 generation. */
const DEEPSEEK_WINDOW = 1_000_000;

/** The demo model reads everything; the figure only gives the usage display something to divide by. */
const DEMO_WINDOW = 128_000;

const deepseek = (model: string, name: string, { sees }: { sees: boolean }): KnownModel => ({
  ref: { provider: "deepseek", model },
  name,
  window: DEEPSEEK_WINDOW,
  sees,
});

/** The models that are offered by name. Any other id passes through all the same. */
export const CATALOGUE: readonly KnownModel[] = [
  deepseek("deepseek-flash", "DeepSeek Flash", { sees: true }),
  deepseek("deepseek-v4-pro", "DeepSeek V4 Pro", { sees: false }),
  deepseek("deepseek-v4-flash", "DeepSeek V4 Flash", { sees: false }),
  deepseek("deepseek-v4-flash-vision-exp", "DeepSeek V4 Flash Vision", { sees: true }),
  {
    ref: { provider: "demo", model: "demo" },
    name: "Demo (built in, scripted)",
    window: DEMO_WINDOW,
    sees: false,
  },
];

/** The entry of a model, found by its id; the provider's name is the user's choice and does not count. */
export function knownModel(model: string): KnownModel | undefined {
  return CATALOGUE.find((entry) => entry.ref.model === model);
}

/** Tokens of context of a model id, undefined where nobody has said. */
export function windowOf(model: string): number | undefined {
  return knownModel(model)?.window;
}
