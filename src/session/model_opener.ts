import type { Config } from "../config/config.ts";
import { findLocalModel } from "../model/local_server.ts";
import { type Model, ModelError } from "../model/model.ts";
import { openModel, parseModel, resolveModel } from "../model/providers.ts";
import type { OpenModel } from "./ports.ts";

/** Opens models: each once, and again after a failure, or when the config (a key in it) is another one. */
export function modelOpener(config: () => Config): OpenModel {
  let opened = new Map<string, Promise<Model>>();
  let openedWith: Config | undefined;
  return (id = "") => {
    const now = config();
    if (now !== openedWith) [opened, openedWith] = [new Map(), now];
    const known = opened.get(id);
    if (known) return known;
    const [opening, models] = [open(now, id), opened];
    models.set(id, opening);
    opening.catch(() => models.delete(id));
    return opening;
  };
}

/**
 * Opens the configured model ahead of the first prompt. Never rejects: a failure shows at that prompt. Looks
 * for no local server: that is for a prompt to ask for.
 */
export async function prepareModel(config: Config, openModel: OpenModel): Promise<void> {
  try {
    if (resolveModel(config)) await (await openModel()).prepare?.();
  } catch { /* said when it matters */ }
}

async function open(config: Config, id: string): Promise<Model> {
  const ref = id ? parseModel(id, config) : resolveModel(config) ?? (await findLocalModel())?.ref;
  if (!ref) throw noModel();
  return await openModel(ref, config);
}

function noModel(): ModelError {
  return new ModelError(
    "auth",
    "No model is set up: run dsh-acp login, or set DEEPSEEK_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY with DSH_MODEL=openai-compatible/MODEL, " +
      "start a local model server (Ollama, LM Studio, llama.cpp), or try DSH_MODEL=demo/demo.",
  );
}
