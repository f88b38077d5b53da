import type { JobTable } from "../bash/jobs.ts";
import type { Preset } from "../config/config.ts";
import { children } from "./child/children.ts";
import type { EditorTrust } from "./editor/editor_trust.ts";
import type { EditorAccess } from "./editor/editor_view.ts";
import type { EventLog } from "./event_log.ts";
import { promptFacts, type PromptPlace } from "./prompt/next_system_prompt.ts";
import { childPrompt } from "./prompt/system_prompt.ts";
import type { SessionDeps } from "./session_deps.ts";
import type { Settings } from "./settings.ts";
import type { Steering } from "./steering.ts";
import type { TurnDeps } from "./turn.ts";
import { ChangeKeeper } from "./undo/change_keeper.ts";

/** What a session's turns have in common. */
export interface TurnSource {
  readonly deps: SessionDeps;
  readonly events: EventLog;
  readonly jobs: JobTable;
  readonly editorTrust: EditorTrust;
  /** See `TurnDeps`. */
  readonly toolsReady: (signal: AbortSignal) => Promise<void>;
}

/** What one turn is begun with. */
export interface TurnStart {
  /** Its id. */
  readonly turn: string;
  readonly settings: Settings;
  /** Further directories of the workspace. */
  readonly roots: readonly string[];
  readonly steering: Steering;
}

/** What a turn is run with; a change of the session's settings from now on is for the next one. */
export function turnDeps(source: TurnSource, { turn: id, settings, roots, steering }: TurnStart): TurnDeps {
  const { deps, events, jobs, toolsReady } = source;
  const { cwd, tools, workbench, grants, rules, front, openModel, config } = deps;
  const turn = {
    log: events,
    ...{ tools, workbench, grants, rules, front, openModel },
    editor: editorOf(source, roots),
    changes: changeKeeper(source, id),
    ...{ jobs, cwd, steering, toolsReady },
    ...settings,
    maxModelCalls: config.maxModelCalls,
    privateHosts: config.fetch.allowPrivate,
  };
  const system = async (preset: Preset, write: boolean) =>
    childPrompt(await promptFacts(placeOf(deps, preset, roots)), write);
  return { ...turn, delegate: children({ turn, system }) };
}

/** What the system prompt of a session speaks of. */
export function placeOf(
  { config, cwd, tempDir }: Pick<SessionDeps, "config" | "cwd" | "tempDir">,
  preset: Preset,
  roots: readonly string[],
): PromptPlace {
  return { config, cwd, roots, tempDir: tempDir(), preset };
}

function changeKeeper(
  { deps: { snapshots, log }, events }: TurnSource,
  turn: string,
): ChangeKeeper | undefined {
  return snapshots && new ChangeKeeper({ turn, snapshots, log, append: (e) => events.append(e) });
}

function editorOf(
  { deps: { front: { files }, cwd, log }, editorTrust: trust }: TurnSource,
  roots: readonly string[],
): EditorAccess | undefined {
  return files && { files, trust, roots: [cwd, ...roots], log };
}
