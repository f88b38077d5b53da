import type { AuthMethod, LogoutResponse } from "@agentclientprotocol/sdk";
import type { Config } from "../config/config.ts";
import type { Keyring } from "../config/keyring.ts";
import { AgentError } from "../errors.ts";
import { isSetUp } from "../model/providers.ts";
import type { ClientFacts } from "./client.ts";

/** The user sets a variable where the agent is started from. */
const BY_ENVIRONMENT = "environment";
/** The client runs `dsh-acp login` in a terminal. */
const BY_LOGIN = "login";

/** How the user may log in; none where a model is set up already: some clients begin with the first one unasked. */
export function authMethods(config: Config, client: ClientFacts): AuthMethod[] {
  if (isSetUp(config)) return [];
  const byEnvironment: AuthMethod = {
    id: BY_ENVIRONMENT,
    name: "Set DEEPSEEK_API_KEY",
    description:
      "Set DEEPSEEK_API_KEY in the environment of the editor or in the agent's settings there, then start the agent " +
      "again. Or run `dsh-acp login` in a terminal and come back: no new start is needed.",
  };
  if (!client.terminalLogin) return [byEnvironment];
  return [{
    type: "terminal",
    id: BY_LOGIN,
    name: "Type in an API key",
    description: "Asks for a DeepSeek key in a terminal, checks it, and keeps it for this user.",
    args: ["login"],
  }, byEnvironment];
}

/** @throws AgentError("invalid-params") for a way to log in that is none of {@linkcode authMethods}. */
export function checkAuthMethod(methodId: string): void {
  if (methodId === BY_ENVIRONMENT || methodId === BY_LOGIN) return;
  throw new AgentError(
    "invalid-params",
    `There is no way to log in named "${methodId}": there are ${BY_ENVIRONMENT} and ${BY_LOGIN}.`,
  );
}

/** Forgets the keys that were typed in; says which others are still there. */
export function logout(keyring: Keyring): LogoutResponse {
  keyring.forget();
  const { given } = keyring;
  if (given.length === 0) return {};
  const note = `The key of ${given.join(", ")} comes from the environment or the config file and stays.`;
  return { _meta: { note } };
}
