import { AgentError, messageOf } from "../errors.ts";

/** DeepSeek's own endpoint, as its documentation gives it. */
const DEEPSEEK_URL = "https://api.deepseek.com";
/** Milliseconds that a provider has to say what it thinks of a key. */
const PATIENCE_MS = 15_000;

/**
 * Asks a provider whether it takes a key, by listing its models: that costs nothing. Resolves if it does.
 * @throws AgentError("auth-required") if it does not, AgentError("model") if it could not be asked. Neither names the key.
 */
export async function checkKey(key: string, baseURL: string = DEEPSEEK_URL): Promise<void> {
  const response = await ask(`${baseURL.replace(/\/+$/, "")}/models`, key, baseURL);
  await response.body?.cancel();
  if (response.ok) return;
  if (response.status === 401 || response.status === 403) {
    throw new AgentError("auth-required", `${hostOf(baseURL)} does not take this key.`);
  }
  throw new AgentError(
    "model",
    `${hostOf(baseURL)} could not say whether it takes the key: it answered with status ${response.status}.`,
  );
}

async function ask(url: string, key: string, baseURL: string): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      redirect: "error", // a key goes to the provider, nowhere else
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (e) {
    // The message may hold the header that was sent.
    const cause = messageOf(e).replaceAll(key, "***");
    throw new AgentError("model", `${hostOf(baseURL)} could not be asked about the key: ${cause}`);
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
