import type { Config, McpServerConfig } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { Rules } from "../permission/rules.ts";
import type { McpServers } from "../tool/mcp/servers.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { EditorTrust } from "./editor/editor_trust.ts";
import type { EventLog } from "./event_log.ts";
import type { Front, GrantBook, OpenModel, Workbench } from "./ports.ts";
import type { Settings } from "./settings.ts";
import type { CommandSet } from "./slash/command.ts";
import type { SessionLock } from "./store/lock.ts";
import type { Snapshots } from "./undo/snapshots.ts";

/** What a session is made of. */
export interface SessionDeps {
  readonly id: string;
  readonly cwd: string;
  /** The session's private temporary directory; known once the session is owned. */
  readonly tempDir: () => string;
  readonly config: Config;
  readonly log: Log;
  readonly events: EventLog;
  readonly tools: ToolRegistry;
  readonly workbench: Workbench;
  readonly grants: GrantBook;
  readonly rules: Rules;
  readonly front: Front;
  readonly openModel: OpenModel;
  /** Values that must never be shown, as they are now. */
  readonly secrets: () => readonly string[];
  /** The commands that there are now, with these further roots; none by default. Never rejects. */
  readonly commands?: (roots: readonly string[]) => Promise<CommandSet>;
  /** Models to choose from, `provider/model`. */
  readonly models?: () => readonly string[];
  /**
   * Proof that this process owns the session, or how to get it and the log's store; called before the first
   * event is appended. Throws AgentError("store") when another process has it or the store cannot be opened.
   */
  readonly lock: SessionLock | (() => Promise<SessionLock>);
  /** Its MCP servers, whose tools are among `tools`; none by default. */
  readonly mcp?: McpServers;
  /** Those that it begins with. */
  readonly mcpServers: readonly McpServerConfig[];
  /** What was chosen for it when it is opened. */
  readonly settings: Settings;
  /** Directories beside `cwd` that belong to the workspace, absolute. */
  readonly roots?: readonly string[];
  /** What is known of the client's file methods; shared by its sessions. */
  readonly editorTrust?: EditorTrust;
  /** What files held before turns changed them; without it no change can be taken back. */
  readonly snapshots?: Snapshots;
  /** What the user should be told of the place that sessions are kept in, each once. */
  readonly storeNotes?: () => readonly string[];
}
