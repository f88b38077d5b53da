import type { LogLevel } from "../log.ts";

/** What the model's tools may do without asking; see docs/security.md. */
export type Preset = "read-only" | "confirm" | "workspace" | "full-access";

/** All presets, from narrow to wide. */
export const PRESETS: readonly Preset[] = ["read-only", "confirm", "workspace", "full-access"];

/** How to reach one provider of models. */
export interface ProviderConfig {
  /** Which adapter speaks to it. */
  readonly kind: "deepseek" | "openai-compatible" | "demo";
  /** Absent for servers that want none. A secret: never logged, never in an error. */
  readonly apiKey?: string | undefined;
  /** `http(s)` URL that `/chat/completions` is appended to; the provider's own by default. */
  readonly baseURL?: string | undefined;
}

/** What a model's provider charges, for a million tokens each. */
export interface ModelPrice {
  /** For input that the provider had to read. */
  readonly input: number;
  /** For what the model writes, thinking included. */
  readonly output: number;
  /** For input that the provider had in its cache; like other input where it is not told. */
  readonly cachedInput?: number | undefined;
  /** ISO 4217, or whatever the provider counts in. */
  readonly currency: string;
}

/** What the user tells of a model; it wins over what is built in. */
export interface ModelConfig {
  /** Tokens of context. */
  readonly window?: number | undefined;
  /** Does it take images? */
  readonly vision?: boolean | undefined;
  /** Undefined: not known, and no cost is told. */
  readonly price?: ModelPrice | undefined;
}

/** One MCP server: the client's, for one session, or the user's own, for all. */
export interface McpServerConfig {
  /** As rules and grants know it, where it is plain. */
  readonly name: string;
  /** `env` and `headers` may hold secrets: never logged, never shown. */
  readonly transport:
    | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
    | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };
  /** True: in the preset `workspace` its tools run unasked. Only the user's own configuration says so. */
  readonly trusted: boolean;
  /** Milliseconds without a sign of life after which a call is given up. */
  readonly timeoutMs?: number | undefined;
}

/** Everything that is set from outside: defaults, config file, environment, flags (later ones win). */
export interface Config {
  /** `provider/model`; undefined: the first provider that has a key. */
  readonly model: string | undefined;
  /** Text that is appended to the built-in system prompt. */
  readonly systemPrompt: string | undefined;
  /** Name told to the client. */
  readonly agentName: string;
  /** Version told to the client. */
  readonly agentVersion: string;
  /** What tools may do unasked. */
  readonly preset: Preset;
  /** Absolute path: sessions, grants, temporary files of sessions. */
  readonly stateDir: string;
  /** Absolute path of the config file, whether there is one or not. */
  readonly configFile: string;
  /** Absolute path of the file with the keys that the user typed in, whether there is one or not. */
  readonly keysFile: string;
  /** How much is logged, and the file it goes to (stderr without one). */
  readonly log: { readonly level: LogLevel; readonly file: string | undefined };
  /** By the name that stands before the `/` of a model id. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** By `provider/model`, or by the model's id alone. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** Names of environment variables that the user lets pass to commands beside the allow-list. */
  readonly envPass: readonly string[];
  /** Model calls after which a turn stops by itself, as a brake on a model that runs in circles. */
  readonly maxModelCalls: number;
  /** Is the model asked, after a session's first turn, for a title? */
  readonly titles: boolean;
  /** What one command and all its processes may use; what is not set has the defaults of docs/security.md. */
  readonly limits: {
    readonly processes?: number | undefined;
    readonly memoryBytes?: number | undefined;
    readonly fileBytes?: number | undefined;
    readonly diskBytes?: number | undefined;
    readonly openFiles?: number | undefined;
  };
  /** The user's rules for what may run; read by `parseRules`. */
  readonly rules: {
    readonly allow?: readonly string[] | undefined;
    readonly ask?: readonly string[] | undefined;
    readonly deny?: readonly string[] | undefined;
  };
  /** What the tool `fetch` may reach beside public hosts. */
  readonly fetch: {
    /** Hosts, each with or without a port, that may be loopback, private or link-local; see `parseHostPattern`. */
    readonly allowPrivate: readonly string[];
  };
  /** MCP servers of every session. */
  readonly mcpServers: readonly McpServerConfig[];
  /** The agent's own environment as it was started; commands see only what the env scrub leaves of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user's home directory, absolute. */
  readonly home: string;
}

/** The values of a config that must never be shown. */
export function secretsOf(config: Config): string[] {
  return Object.values(config.providers).flatMap((p) => p.apiKey ? [p.apiKey] : []);
}

/** The object without what is undefined in it. */
export function defined<T extends object>(object: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(object).filter(([, v]) => v !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
