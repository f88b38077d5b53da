import type { ModelRef } from "./model.ts";

/** A model server on this machine that is found without being configured. */
export interface LocalServer {
  /** Its provider's name in a model id. */
  readonly name: string;
  /** What `/models` and `/chat/completions` are appended to. */
  readonly baseURL: string;
}

/** Where these servers listen unless told otherwise; the first that answers with a model wins. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  { name: "ollama", baseURL: "http://127.0.0.1:11434/v1" },
  { name: "lm-studio", baseURL: "http://127.0.0.1:1234/v1" },
  { name: "llama.cpp", baseURL: "http://127.0.0.1:8080/v1" },
];

/** A model that a local server offers. */
export interface LocalModel {
  readonly ref: ModelRef;
  readonly baseURL: string;
}

/** Options of {@linkcode findLocalModel}. */
export interface FindOptions {
  readonly servers?: readonly LocalServer[] | undefined;
  /** How long all of them together may take; 400 ms by default, since a closed port refuses at once. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Looks for a model server on this machine: all ports at once, first model listed of the first server in
 * the list's order. Never throws. For when nothing else is configured.
 */
export async function findLocalModel(options: FindOptions = {}): Promise<LocalModel | undefined> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.timeoutMs ?? 400);
  try {
    const found = await Promise.all(
      (options.servers ?? LOCAL_SERVERS).map((server) => firstModel(server, deadline.signal)),
    );
    return found.find((model) => model !== undefined);
  } finally {
    clearTimeout(timer);
  }
}

async function firstModel(server: LocalServer, signal: AbortSignal): Promise<LocalModel | undefined> {
  try {
    const response = await fetch(`${server.baseURL}/models`, { signal, redirect: "error" });
    if (!response.ok || !response.headers.get("content-type")?.includes("json")) {
      await response.body?.cancel();
      return undefined;
    }
    const model = chatModels(await response.json())[0];
    return model === undefined
      ? undefined
      : { ref: { provider: server.name, model }, baseURL: server.baseURL };
  } catch {
    return undefined; // no server there, one that is too slow, or one that is no model server
  }
}

/** The ids listed, without those that only embed: LM Studio lists them first. */
function chatModels(body: unknown): string[] {
  const data: unknown = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return [];
  const ids: unknown[] = data.map((entry: { id?: unknown } | null) => entry?.id);
  return ids.filter((id): id is string => typeof id === "string" && id !== "" && !/embed/i.test(id));
}
