import type { PolicyInput } from "./policy.ts";

/** Deno's cache directory, as Deno itself finds it. */
export function denoDirOf(environment: Readonly<Record<string, string>>, home: string): string {
  if (environment.DENO_DIR) return environment.DENO_DIR;
  if (Deno.build.os === "darwin") return `${home}/Library/Caches/deno`;
  return `${environment.XDG_CACHE_HOME || `${home}/.cache`}/deno`;
}

/**
 * The agent's own places beside its state, for `policyFor`: its config (the file may lie anywhere) is secret but
 * for the user's skills, and no workspace may hold the cache that its own modules are loaded from.
 */
export function ownPlacesOf(
  environment: Readonly<Record<string, string>>,
  home: string,
  configFile?: string,
): Required<Pick<PolicyInput, "ownPlaces" | "ownSecrets" | "ownReadable">> {
  const configDir = `${environment.XDG_CONFIG_HOME || `${home}/.config`}/dsh-acp`;
  return {
    ownPlaces: [denoDirOf(environment, home)],
    ownSecrets: [configDir, ...(configFile === undefined ? [] : [configFile])],
    ownReadable: [`${configDir}/skills`].filter(isDirectory),
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
