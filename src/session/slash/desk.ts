import { messageOf } from "../../errors.ts";
import { compact } from "../compaction/compaction.ts";
import type { Settings, SettingsEvent } from "../settings.ts";
import type { ConfinementReport } from "../../sandbox/report.ts";
import { modelName } from "../../model/providers.ts";
import type { McpServers } from "../../tool/mcp/servers.ts";
import { code } from "../../tool/view.ts";
import type { Snapshots } from "../undo/snapshots.ts";
import type { TurnDeps } from "../turn.ts";
import { undoLastTurn } from "../undo/undo.ts";
import { undoText } from "../undo/undo_text.ts";
import type { CommandDesk } from "./command.ts";

/** Lines about commands that are left out. */
const MAX_FAULTS = 20;

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
  /** What files held before turns changed them; undefined where nothing is kept. */
  readonly snapshots: Snapshots | undefined;
  /** Why some commands are left out. */
  readonly faults: readonly string[];
  readonly mcp: McpServers;
  readonly signal: AbortSignal;
}

/** The desk of one command. */
export function commandDesk(
  { session, deps, models, faults, snapshots, mcp, signal }: DeskOptions,
): CommandDesk {
  const inUse = () => deps.openModel(deps.model).catch(() => undefined);
  return {
    get settings() {
      return session.settings;
    },
    change: (event) => session.change(event),
    models,
    model: async () => {
      const model = await inUse();
      return model && modelName(model.ref);
    },
    modelFault: async (id) => await deps.openModel(id).then(() => undefined, messageOf),
    mcp,
    compact: async () => await compact(deps, await deps.openModel(deps.model), signal),
    undo: async () => {
      const undone = snapshots && await undoLastTurn({ ...deps, snapshots }, signal);
      return undone ? undoText(undone, session.cwd) : nothingToUndo(deps.log.changes.forked);
    },
    status: async () => {
      const model = await inUse();
      return [
        ["Session", code(session.id)],
        ["Model", model ? code(modelName(model.ref)) : "none is set up"],
        ["Permissions", `${code(session.settings.preset)}${confinement(session.report)}`],
        ["Directory", code(session.cwd)],
        ...session.roots.map((root) => ["Further directory", code(root)] as const),
        ...mcp.status().map(({ name, state }) => ["MCP server", `${code(name)}, ${state}`] as const),
        ["Context", contextWords(deps.log.history.tokens(), model?.window)],
        ...faults.slice(0, MAX_FAULTS).map((fault) => ["Command left out", code(fault)] as const),
      ];
    },
  };
}

function nothingToUndo(forked: boolean): string {
  const other = "What was changed before this session was forked can be taken back in the other one.";
  return `There are no file changes to take back.${forked ? ` ${other}` : ""}`;
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
