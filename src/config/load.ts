import { AgentError, messageOf } from "../errors.ts";
import { LOG_LEVELS, type LogLevel } from "../log.ts";
import {
  type Config,
  defined,
  type McpServerConfig,
  type Preset,
  PRESETS,
  type ProviderConfig,
} from "./config.ts";
import type { FileConfig } from "./file.ts";
import { placesOf } from "./paths.ts";
import metadata from "../../deno.json" with { type: "json" };

/** This program's version, as released. */
export const VERSION: string = metadata.version;
/** This program's name, as told to clients. */
export const NAME = "dsh-acp";

/** Far more than the work of one prompt takes. */
const MAX_MODEL_CALLS = 200;

/** What flags or an embedder set; it wins over environment and file. A named `configFile` must exist. */
export type Overrides = Partial<Config>;

/**
 * Reads environment and config file, once, and freezes the outcome. Precedence: overrides, environment,
 * file, defaults.
 * @throws AgentError("config") naming the setting that is wrong.
 */
export function loadConfig(overrides: Overrides = {}): Promise<Config> {
  return buildConfig(overrides, Deno.env.toObject(), Deno.build.os);
}

/** {@linkcode loadConfig} for a given environment. */
export async function buildConfig(
  overrides: Overrides,
  env: Readonly<Record<string, string>>,
  os: typeof Deno.build.os,
): Promise<Config> {
  const places = placesOf(os, env);
  const named = overrides.configFile ?? nonEmpty(env.DSH_CONFIG);
  const file = await readConfigFile(named ?? places.configFile, named !== undefined);
  const config: Config = {
    model: nonEmpty(env.DSH_MODEL) ?? file.model,
    systemPrompt: file.systemPrompt,
    agentName: NAME,
    agentVersion: VERSION,
    preset: preset(nonEmpty(env.DSH_PRESET) ?? file.preset ?? "workspace"),
    configFile: named ?? places.configFile,
    keysFile: places.keysFile,
    stateDir: nonEmpty(env.DSH_STATE_DIR) ?? file.stateDir ?? places.stateDir,
    log: { level: logLevel(nonEmpty(env.DSH_LOG) ?? file.log?.level ?? "off"), file: file.log?.file },
    providers: providersOf(env, file),
    models: file.models ?? {},
    rules: file.rules ?? {},
    maxModelCalls: file.maxModelCalls ?? MAX_MODEL_CALLS,
    titles: file.titles ?? true,
    limits: file.limits ?? {},
    envPass: file.env?.pass ?? [],
    fetch: { allowPrivate: file.fetch?.allowPrivate ?? [] },
    mcpServers: mcpServersOf(file),
    environment: env,
    home: places.home,
    ...defined(overrides),
  };
  return Object.freeze(config);
}

/** Checks a preset's name. @throws AgentError("config") that lists the names. */
export function preset(value: string): Preset {
  const found = PRESETS.find((p) => p === value);
  if (!found) {
    throw new AgentError("config", `Unknown preset "${value}": choose one of ${PRESETS.join(", ")}.`);
  }
  return found;
}

/** Checks a log level's name. @throws AgentError("config") that lists the names. */
export function logLevel(value: string): LogLevel {
  const found = LOG_LEVELS.find((l) => l === value);
  if (!found) {
    throw new AgentError("config", `Unknown log level "${value}": choose one of ${LOG_LEVELS.join(", ")}.`);
  }
  return found;
}

async function readConfigFile(path: string, mustExist: boolean): Promise<FileConfig> {
  const text = readIfThere(path, mustExist);
  if (text === undefined) return {};
  // Most users have no file: the parser and the schema are loaded only for those who do.
  const { parseConfigFile } = await import("./file.ts");
  return parseConfigFile(text, path);
}

/** Synchronous on purpose: the thread that an asynchronous read starts costs more than the read. */
function readIfThere(path: string, mustExist: boolean): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (e) {
    if (e instanceof Deno.errors.NotFound && !mustExist) return undefined;
    throw new AgentError("config", `The config file ${path} cannot be read: ${messageOf(e)}`, { cause: e });
  }
}

function providersOf(
  env: Readonly<Record<string, string>>,
  file: FileConfig,
): Record<string, ProviderConfig> {
  const providers: Record<string, ProviderConfig> = {
    deepseek: {
      kind: "deepseek",
      apiKey: nonEmpty(env.DEEPSEEK_API_KEY),
      baseURL: url("DEEPSEEK_BASE_URL", env),
    },
    demo: { kind: "demo" },
  };
  if (nonEmpty(env.OPENAI_API_KEY) ?? nonEmpty(env.OPENAI_BASE_URL)) {
    providers["openai-compatible"] = {
      kind: "openai-compatible",
      apiKey: nonEmpty(env.OPENAI_API_KEY),
      baseURL: url("OPENAI_BASE_URL", env),
    };
  }
  for (const [name, p] of Object.entries(file.providers ?? {})) {
    const before = providers[name];
    providers[name] = {
      kind: p.kind,
      apiKey: nonEmpty(p.apiKeyEnv ? env[p.apiKeyEnv] : undefined) ?? before?.apiKey ?? p.apiKey,
      baseURL: before?.baseURL ?? p.baseURL,
    };
  }
  return providers;
}

function mcpServersOf(file: FileConfig): McpServerConfig[] {
  return Object.entries(file.mcpServers ?? {}).map(([name, s]): McpServerConfig => ({
    name,
    transport: "command" in s
      ? { kind: "stdio", command: s.command, args: s.args ?? [], env: s.env ?? {} }
      : { kind: s.type ?? "http", url: s.url, headers: s.headers ?? {} },
    trusted: s.trust ?? false,
    timeoutMs: s.timeoutMs,
  }));
}

function url(name: string, env: Readonly<Record<string, string>>): string | undefined {
  const value = nonEmpty(env[name]);
  if (value !== undefined && !(URL.canParse(value) && /^https?:/.test(value))) {
    throw new AgentError("config", `${name} is no http(s) URL: "${value}"`);
  }
  return value;
}

/** An empty environment variable counts as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value?.trim() ? value.trim() : undefined;
}
