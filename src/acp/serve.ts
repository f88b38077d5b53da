import type { Stream } from "@agentclientprotocol/sdk";
import type { Config } from "../config/config.ts";
import { secretsOf } from "../config/config.ts";
import { loadConfig, type Overrides } from "../config/load.ts";
import { createLog } from "../log.ts";
import { Sessions } from "../session/sessions.ts";
import type { SessionStore } from "../session/store.ts";
import { sessionWorkbench } from "../session/workbench.ts";
import { modelOpener } from "../session/model_opener.ts";
import { builtinTools } from "../tool/registry.ts";
import { serveConnection } from "./connection.ts";

/** Options of {@linkcode serve}: whatever is set wins over environment and config file. */
export interface ServeOptions extends Overrides {
  /** Aborting it closes the connection and all sessions, as if the client had gone. */
  readonly signal?: AbortSignal;
}

/**
 * Serves one ACP client over a stream of messages until the stream ends; then ends every turn and process.
 * @throws AgentError("config") before anything is read, when a setting is wrong.
 */
export async function serve(stream: Stream, options: ServeOptions = {}): Promise<void> {
  const { signal, ...overrides } = options;
  const config = await loadConfig(overrides);
  const log = createLog({ ...config.log, secrets: secretsOf(config) });
  const store = storeOpener(config);
  try {
    await serveConnection(stream, {
      config,
      log,
      tools: builtinTools(),
      signal,
      sessions: (front, tools) =>
        new Sessions({
          config,
          log,
          tools,
          openModel: modelOpener(config),
          store: store.open,
          front,
          workbench: (place) => sessionWorkbench({ config, log, ...place }),
        }),
    });
  } finally {
    store.close();
  }
}

/** The session store, opened when it is first needed: SQLite is not loaded before. */
function storeOpener(config: Config): { open: () => Promise<SessionStore>; close: () => void } {
  let store: SessionStore | undefined;
  return {
    open: async () => {
      if (store) return store;
      const { SqliteStore } = await import("../session/sqlite_store.ts");
      return store ??= new SqliteStore(config.stateDir);
    },
    close: () => store?.close(),
  };
}
