import type { Stream } from "@agentclientprotocol/sdk";
import { Keyring } from "../config/keyring.ts";
import { loadConfig, type Overrides } from "../config/load.ts";
import { createLog } from "../log.ts";
import { serveConnection } from "./connection.ts";

/** Options of {@linkcode serve}: whatever is set wins over environment and config file. */
export interface ServeOptions extends Overrides {
  /** Aborting it closes the connection and all sessions, as if the client had gone. */
  readonly signal?: AbortSignal;
  /** Called once, after the first `initialize` was answered: for what should not delay that answer. */
  readonly initialized?: () => void;
}

/**
 * Serves one ACP client over a stream of messages until the stream ends; then ends every turn and process.
 * @throws AgentError("config") before anything is read, when a setting is wrong.
 */
export async function serve(stream: Stream, options: ServeOptions = {}): Promise<void> {
  const { signal, initialized, ...overrides } = options;
  const config = await loadConfig(overrides);
  const keyring = new Keyring(config);
  const log = createLog({ ...config.log, secrets: () => keyring.secrets });
  await serveConnection(stream, { keyring, log, signal, initialized });
}
