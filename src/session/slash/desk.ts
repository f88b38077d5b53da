import { compact } from "../compaction.ts";
import type { Settings, SettingsEvent } from "../settings.ts";
import type { ConfinementReport } from "../../sandbox/report.ts";
import { modelName } from "../../model/providers.ts";
import type { McpServers } from "../../tool/mcp/servers.ts";
import { code } from "../../tool/view.ts";
import type { TurnDeps } from "../turn.ts";
import type { CommandDesk } from "./command.ts";

/** What of a session its commands see and change. */
export interface DeskSession {
  readonly id: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly settings: Settings;
  readonly report: ConfinementReport | undefined;
  change(event: SettingsEvent): void;
}

/** What a desk is made of. */
export interface DeskOptions {
  readonly session: DeskSession;
  readonly deps: TurnDeps;
  /** Models to choose from, `provider/model`. */
  readonly models: () => readonly string[];
  readonly mcp: McpServers;
  readonly signal: AbortSignal;
}

/** The desk of one command. */
export function commandDesk({ session, deps, models, mcp, signal }: DeskOptions): CommandDesk {
  return {
    get settings() {
      return session.settings;
    },
    change: (event) => session.change(event),
    models,
    mcp,
    compact: async () => await compact(deps, await deps.openModel(deps.model), signal),
    status: async () => {
      const model = await deps.openModel(deps.model).catch(() => undefined);
      return [
        ["Session", code(session.id)],
        ["Model", model ? code(modelName(model.ref)) : "none is set up"],
        ["Permissions", `${code(session.settings.preset)}${confinement(session.report)}`],
        ["Directory", code(session.cwd)],
        ...session.roots.map((root) => ["Further directory", code(root)] as const),
        ["Context", contextWords(deps.log.history.tokens(), model?.window)],
      ];
    },
  };
}

function confinement(report: ConfinementReport | undefined): string {
  return report ? `, confinement ${report.enforcement} (${report.layers.join(", ")})` : "";
}

function contextWords(tokens: number, window: number | undefined): string {
  const used = `about ${tokens.toLocaleString("en")} tokens`;
  return window === undefined
    ? used
    : `${used} of ${window.toLocaleString("en")} (${Math.round(100 * tokens / window)} %)`;
}
