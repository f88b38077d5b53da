import { AgentError, messageOf } from "../errors.ts";
import { type Config, type ProviderConfig, secretsOf } from "./config.ts";

/** Keys by the name of their provider. */
type Keys = Readonly<Record<string, string>>;

/**
 * The keys that the user has typed in (`dsh-acp login`), kept in one file of mode 0600. They count where
 * environment and config file give none. The file is looked at anew each time, since another process writes it.
 */
export class Keyring {
  readonly #config: Config;
  readonly #hidden = new Set<string>();
  /** What was read last, and the state of the file that this is true for. */
  #read: { readonly version: string; readonly keyed: Config } | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** The config with the keys that are there now. Never throws: a file that cannot be read holds no keys. */
  get config(): Config {
    const version = versionOf(this.#config.keysFile);
    if (this.#read?.version !== version) {
      this.#read = { version, keyed: withKeys(this.#config, readKeys(this.#config.keysFile)) };
    }
    return this.#read.keyed;
  }

  /** Everything that must never be shown: the keys, and what was hidden since. */
  get secrets(): string[] {
    return [...secretsOf(this.config), ...this.#hidden];
  }

  /** Keeps further values out of logs and errors, for as long as this process lives. */
  hide(secrets: readonly string[]): void {
    for (const secret of secrets) this.#hidden.add(secret);
  }

  /** The names of the providers whose key is given by environment or config file, which nothing here can take back. */
  get given(): string[] {
    return Object.entries(this.#config.providers).flatMap(([name, p]) => p.apiKey ? [name] : []);
  }

  /** Keeps a key in place of the one before. @throws AgentError("config") when it cannot be written. */
  keep(provider: string, key: string): void {
    this.#write({ ...readKeys(this.#config.keysFile), [provider]: key });
  }

  /** Forgets all keys that were typed in; gives the names of their providers. @throws AgentError("config") */
  forget(): string[] {
    const path = this.#config.keysFile;
    const names = Object.keys(readKeys(path));
    try {
      Deno.removeSync(path);
    } catch (e) {
      if (!(e instanceof Deno.errors.NotFound)) throw unwritable(path, e);
    }
    return names;
  }

  #write(keys: Keys): void {
    const path = this.#config.keysFile;
    const temporary = `${path}.${crypto.randomUUID()}`;
    try {
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true, mode: 0o700 });
      try {
        Deno.writeTextFileSync(temporary, JSON.stringify(keys, null, 2) + "\n", {
          createNew: true,
          mode: 0o600,
        });
        Deno.renameSync(temporary, path);
      } catch (e) {
        removeQuietly(temporary);
        throw e;
      }
    } catch (e) {
      throw unwritable(path, e);
    }
  }
}

function withKeys(config: Config, keys: Keys): Config {
  const providers: Record<string, ProviderConfig> = { ...config.providers };
  for (const [name, apiKey] of Object.entries(keys)) {
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider && !provider.apiKey) providers[name] = { ...provider, apiKey };
  }
  return Object.freeze({ ...config, providers });
}

/** What is no object of texts holds no keys: the user is then told that there is none, and how to set one. */
function readKeys(path: string): Keys {
  try {
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter(([, key]) => typeof key === "string" && key !== ""),
    );
  } catch {
    return {};
  }
}

function versionOf(path: string): string {
  try {
    const { mtime, size, ino } = Deno.statSync(path);
    return `${ino}.${size}.${mtime?.getTime()}`;
  } catch {
    return "missing";
  }
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch { /* it was never made */ }
}

function unwritable(path: string, cause: unknown): AgentError {
  return new AgentError("config", `The keys in ${path} cannot be changed: ${messageOf(cause)}`, { cause });
}
