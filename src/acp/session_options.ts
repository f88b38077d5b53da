import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type Preset, PRESETS } from "../config/config.ts";
import { AgentError } from "../errors.ts";
import type { ConfinementReport } from "../sandbox/report.ts";

/** Id of the option that chooses the preset. */
const PERMISSION = "permission";

/** What people read of a preset. */
const WORDS: Readonly<Record<Preset, { name: string; description: string }>> = {
  "read-only": {
    name: "Read only",
    description:
      "Commands run confined and write nothing but temporary files. Asks before each change of a file.",
  },
  "confirm": {
    name: "Confirm",
    description: "Asks before each change of a file and before each command that does more than look.",
  },
  "workspace": {
    name: "Workspace",
    description:
      "Works in the workspace without asking, confined to it and without network. Asks to leave it.",
  },
  "full-access": {
    name: "Full access",
    description: "Commands run unconfined with your own rights. Never asks.",
  },
};

/** What a session's options depend on. */
export interface OptionFacts {
  readonly preset: Preset;
  /** What the session's last executor obtained; undefined before the first one. */
  readonly report: ConfinementReport | undefined;
}

/** All options of a session, the most important first. */
export function configOptions(facts: OptionFacts): SessionConfigOption[] {
  return [{
    type: "select",
    id: PERMISSION,
    name: "Permissions",
    description: `What the agent may do without asking.${confinementWords(facts.report)}`,
    category: "mode",
    currentValue: facts.preset,
    options: PRESETS.map((value) => ({ value, ...WORDS[value] })),
  }];
}

/** The same choice as session modes, for clients that know no options. */
export function sessionModes(facts: OptionFacts): SessionModeState {
  return {
    currentModeId: facts.preset,
    availableModes: PRESETS.map((id) => ({ id, ...WORDS[id] })),
  };
}

/** The preset that a client chose by option. @throws AgentError("invalid-params") naming what there is. */
export function presetByOption(configId: string, value: unknown): Preset {
  if (configId !== PERMISSION) throw invalid(`There is no option "${configId}". Options: ${PERMISSION}.`);
  return presetNamed(value, `option "${PERMISSION}"`);
}

/** The preset that a client chose by mode. @throws AgentError("invalid-params") naming what there is. */
export function presetByMode(modeId: string): Preset {
  return presetNamed(modeId, "modes");
}

function presetNamed(value: unknown, where: string): Preset {
  const preset = PRESETS.find((p) => p === value);
  if (!preset) throw invalid(`"${String(value)}" is no value of ${where}. Values: ${PRESETS.join(", ")}.`);
  return preset;
}

function confinementWords(report: ConfinementReport | undefined): string {
  if (!report || report.preset === "full-access") return "";
  const missing = report.missing.length > 0 ? ` Missing: ${report.missing.join("; ")}.` : "";
  return ` Confinement here: ${report.enforcement} (${report.layers.join(", ")}).${missing}`;
}

function invalid(message: string): AgentError {
  return new AgentError("invalid-params", message);
}
