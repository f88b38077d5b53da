import { PRESETS } from "../../config/config.ts";
import { PRESET_WORDS } from "../../permission/preset_words.ts";
import { code } from "../../tool/view.ts";
import type { CommandDesk, LocalCommand } from "./command.ts";

/** The commands that every session has. */
export const BUILTIN_COMMANDS: readonly LocalCommand[] = [
  {
    name: "compact",
    description: "Shorten the conversation: a summary takes the place of all but its end",
    run: async (_args, desk) => COMPACTED[await desk.compact()],
  },
  {
    name: "model",
    description: "Show the models, or choose one",
    hint: "provider/model",
    run: chooseModel,
  },
  {
    name: "permission",
    description: "Show what may be done unasked, or change it",
    hint: PRESETS.join(" | "),
    run: choosePreset,
  },
  {
    name: "status",
    description: "Show the session's model, permissions, directories and context",
    run: async (_args, desk) =>
      (await desk.status()).map(([name, value]) => `- ${name}: ${value}`).join("\n"),
  },
  {
    name: "undo",
    description: "Take back what the file tools changed in the last turn",
    run: async (_args, desk) => await desk.undo(),
  },
];

const COMPACTED = {
  done: "The conversation is compacted. All of it stays to be read here.",
  failed: "The model wrote no summary: the conversation stays as it is.",
  nothing: "There is nothing to compact yet.",
} as const;

async function chooseModel(args: string, desk: CommandDesk): Promise<string> {
  if (args === "") {
    const model = await desk.model();
    const models = desk.models().map((id) => `- ${code(id)}${id === model ? " (in use)" : ""}`).join("\n");
    return `In use: ${model === undefined ? "none is set up" : code(model)}\n\n${models}`.trimEnd();
  }
  if (!/^[^/\s]+\/\S+$/.test(args)) return `${code(args)} is no model: write provider/model.`;
  const fault = await desk.modelFault(args);
  if (fault !== undefined) return `The model stays as it is. ${fault}`;
  desk.change({ type: "model.set", model: args });
  return `From the next prompt on: ${code(args)}.`;
}

function choosePreset(args: string, desk: CommandDesk): string {
  const all = PRESETS.map((p) => `- ${code(p)}: ${PRESET_WORDS[p].description}`).join("\n");
  if (args === "") return `In use: ${code(desk.settings.preset)}\n\n${all}`;
  const preset = PRESETS.find((p) => p === args);
  if (!preset) return `There is no ${code(args)}; there are:\n\n${all}`;
  desk.change({ type: "preset.set", preset });
  return `From the next prompt on: ${code(preset)}.`;
}
