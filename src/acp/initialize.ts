import { type InitializeResponse, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import type { Config } from "../config/config.ts";
import { eyesOf } from "../model/choices.ts";
import { authMethods } from "./authentication.ts";
import type { ClientFacts } from "./client.ts";

/** An object is a yes. `fork` is not in the stable schema yet. */
const SESSION_CAPABILITIES = {
  list: {},
  resume: {},
  close: {},
  delete: {},
  additionalDirectories: {},
  fork: {},
};

/** The answer to `initialize`. This agent speaks one version of the protocol and says so to every client. */
export function initializeResponse(config: Config, client: ClientFacts): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: config.agentName, title: "DeepSeek Harness", version: config.agentVersion },
    agentCapabilities: {
      loadSession: true,
      // For the model that is configured; a session may be given another one later.
      promptCapabilities: { image: eyesOf(config)?.sees ?? false, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: SESSION_CAPABILITIES,
      auth: { logout: {} },
    },
    authMethods: authMethods(config, client),
    // `_session/steering {sessionId, prompt}` puts a message into the running turn; two other agents have it too.
    _meta: { steering: { supported: true } },
  };
}
