import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { PRESETS } from "../config/config.ts";
import { AgentError } from "../errors.ts";
import type { ModelChoices } from "../model/choices.ts";
import { THOUGHT_LEVELS, type ThoughtLevel } from "../model/model.ts";
import { PRESET_WORDS } from "../permission/preset_words.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import type { Settings, SettingsEvent } from "../session/settings.ts";

/** What a session's options depend on. */
export interface OptionFacts {
  readonly settings: Settings;
  /** What the session's last executor obtained; undefined before the first one. */
  readonly report: ConfinementReport | undefined;
  /** Undefined where no model is set up. */
  readonly models: ModelChoices | undefined;
}

/** The option's value for "as the provider sees fit". */
const DEFAULT_THOUGHT = "default";

/** All options of a session, the most important first. */
export function configOptions({ settings, report, models }: OptionFacts): SessionConfigOption[] {
  const permission: SessionConfigOption = {
    type: "select",
    id: "permission",
    name: "Permissions",
    description: `What the agent may do without asking.${confinementWords(report)}`,
    category: "mode",
    currentValue: settings.preset,
    options: PRESETS.map((value) => ({ value, ...PRESET_WORDS[value] })),
  };
  if (!models) return [permission];
  return [permission, modelOption(models), ...(models.thinks ? [thoughtOption(settings.thought)] : [])];
}

function modelOption({ current, groups }: ModelChoices): SessionConfigOption {
  return {
    type: "select",
    id: "model",
    name: "Model",
    description: "Which model answers. Any other id passes too, as provider/model.",
    category: "model",
    currentValue: current,
    options: groups.map(({ provider, models }) => ({
      group: provider,
      name: provider,
      options: models.map(({ id, name }) => ({ value: id, name })),
    })),
  };
}

function thoughtOption(level: ThoughtLevel | undefined): SessionConfigOption {
  return {
    type: "select",
    id: "thought_level",
    name: "Thinking",
    description: "How long the model thinks before it answers.",
    category: "thought_level",
    currentValue: level ?? DEFAULT_THOUGHT,
    options: [DEFAULT_THOUGHT, ...THOUGHT_LEVELS].map((value) => ({
      value,
      name: value[0]!.toUpperCase() + value.slice(1),
    })),
  };
}

/** The same choice of presets as session modes, for clients that know no options. */
export function sessionModes({ settings }: OptionFacts): SessionModeState {
  return {
    currentModeId: settings.preset,
    availableModes: PRESETS.map((id) => ({ id, ...PRESET_WORDS[id] })),
  };
}

/** What a client chose by option. @throws AgentError("invalid-params") naming what there is. */
export function changeByOption(configId: string, value: unknown, facts: OptionFacts): SettingsEvent {
  const option = configOptions(facts).find((o) => o.id === configId);
  switch (option?.id) {
    case "permission":
      return { type: "preset.set", preset: oneOf(PRESETS, value, `option "permission"`) };
    case "model":
      return { type: "model.set", model: modelId(value) };
    case "thought_level": {
      const level = oneOf([DEFAULT_THOUGHT, ...THOUGHT_LEVELS] as const, value, `option "thought_level"`);
      return { type: "thought.set", level: level === DEFAULT_THOUGHT ? null : level };
    }
    default: {
      const ids = configOptions(facts).map((o) => o.id).join(", ");
      throw invalid(`There is no option "${configId}". Options: ${ids}.`);
    }
  }
}

/** The preset that a client chose by mode. @throws AgentError("invalid-params") naming what there is. */
export function changeByMode(modeId: string): SettingsEvent {
  return { type: "preset.set", preset: oneOf(PRESETS, modeId, "modes") };
}

/** Any model of any provider passes; whether it is there shows when it is called. */
function modelId(value: unknown): string {
  if (typeof value === "string" && /^[^/\s]+\/\S+$/.test(value)) return value;
  throw invalid(`"${String(value)}" is no model: write provider/model.`);
}

function oneOf<T extends string>(values: readonly T[], value: unknown, where: string): T {
  const found = values.find((v) => v === value);
  if (found === undefined) {
    throw invalid(`"${String(value)}" is no value of ${where}. Values: ${values.join(", ")}.`);
  }
  return found;
}

function confinementWords(report: ConfinementReport | undefined): string {
  if (!report || report.preset === "full-access") return "";
  const missing = report.missing.length > 0 ? ` Missing: ${report.missing.join("; ")}.` : "";
  return ` Confinement here: ${report.enforcement} (${report.layers.join(", ")}).${missing}`;
}

function invalid(message: string): AgentError {
  return new AgentError("invalid-params", message);
}
