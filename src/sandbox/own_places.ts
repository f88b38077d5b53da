import type { PolicyInput } from "./policy.ts";

/** Deno's cache directory, as Deno itself finds it. */
export function denoDirOf(environment: Readonly<Record<string, string>>, home: string): string {
  if (environment.DENO_DIR) return environment.DENO_DIR;
  if (Deno.build.os === "darwin") return `${home}/Library/Caches/deno`;
  return `${environment.XDG_CACHE_HOME || `${home}/.cache`}/deno`;
}

/** What the agent's own places are found by. */
export interface Owner {
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
  /** It may lie anywhere. */
  readonly configFile: string;
  /** The keys that the user typed in; by default beside the config file's default place. */
  readonly keysFile: string;
}

/**
 * The agent's own places beside its state, for `policyFor`: its config is secret but for the user's skills, and no
 * workspace may hold the cache that its own modules are loaded from.
 */
export function ownPlacesOf(
  { environment, home, configFile, keysFile }: Owner,
): Required<Pick<PolicyInput, "ownPlaces" | "ownSecrets" | "ownReadable">> {
  const keysDir = keysFile.slice(0, keysFile.lastIndexOf("/"));
  // An embedder may keep them where other things lie that are no secrets.
  const isOwn = keysDir.endsWith("/dsh-acp");
  return {
    ownPlaces: [denoDirOf(environment, home)],
    ownSecrets: [...(isOwn ? [keysDir] : []), keysFile, configFile],
    ownReadable: isOwn ? [`${keysDir}/skills`].filter(isDirectory) : [],
  };
}

/** Where there are no skills, the whole directory stays closed by every layer. */
function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
