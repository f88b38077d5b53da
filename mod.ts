/**
 * A coding agent for editors: it speaks the Agent Client Protocol, and its bash runs in a confined process.
 *
 * As a program: `deno run -q -A jsr:@dsh/acp` serves ACP on stdin and stdout; `--help` tells the rest. As a
 * library:
 *
 * ```ts no-eval
 * import { serve } from "jsr:@dsh/acp";
 * import { ndJsonStream } from "npm:@agentclientprotocol/sdk";
 *
 * await serve(ndJsonStream(Deno.stdout.writable, Deno.stdin.readable), { model: "deepseek/deepseek-flash" });
 * ```
 *
 * @module
 */
import type { Stream } from "@agentclientprotocol/sdk";
import type { ServeOptions } from "./src/acp/serve.ts";

// A stream carries JSON-RPC messages: the SDK's own types, so that its `ndJsonStream` fits.
export type {
  AnyMessage,
  AnyNotification,
  AnyRequest,
  AnyResponse,
  ErrorResponse,
  Result,
  Stream,
} from "@agentclientprotocol/sdk";
export type { ServeOptions } from "./src/acp/serve.ts";
export type {
  Config,
  McpServerConfig,
  ModelConfig,
  ModelPrice,
  Preset,
  ProviderConfig,
} from "./src/config/config.ts";
export type { Overrides } from "./src/config/load.ts";
export type { LogLevel } from "./src/log.ts";
export { AgentError, type AgentErrorOptions, type ErrorKind } from "./src/errors.ts";

/**
 * Serves one ACP client over a stream of messages until the stream ends; then ends every turn and process.
 * Nothing but this agent's frames is written to the stream.
 *
 * @param stream the client's messages in and this agent's out
 * @param options settings that win over environment and config file
 * @throws AgentError of kind `config` when a setting is wrong
 */
export async function serve(stream: Stream, options: ServeOptions = {}): Promise<void> {
  const { serve } = await import("./src/acp/serve.ts");
  await serve(stream, options);
}

if (import.meta.main) {
  const { main } = await import("./src/cli.ts");
  await main(Deno.args);
}
