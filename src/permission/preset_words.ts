import type { Preset } from "../config/config.ts";

/** What people read of a preset. */
export const PRESET_WORDS: Readonly<Record<Preset, { name: string; description: string }>> = {
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
