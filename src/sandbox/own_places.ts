import type { PolicyInput } from "./policy.ts";

/** Deno's cache directory, as Deno itself finds it. */
export function denoDirOf(environment: Readonly<Record<string, string>>, home: string): string {
  if (environment.DENO_DIR) return environment.DENO_DIR;
  if (Deno.build.os === "darwin") return `${home}/Library/Caches/deno`;
  return `${environment.XDG_CACHE_HOME || `${home}/.cache`}/deno`;
}

/**
 * The agent's own places beside its state, for `policyFor`: its config (the file may lie anywhere) is secret, and no workspace may hold the
 * cache that its own modules are loaded from.
 */
export function ownPlacesOf(
  environment: Readonly<Record<string, string>>,
  home: string,
  configFile?: string,
): Required<Pick<PolicyInput, "ownPlaces" | "ownSecrets">> {
  const configHome = environment.XDG_CONFIG_HOME || `${home}/.config`;
  return {
    ownPlaces: [denoDirOf(environment, home)],
    ownSecrets: [`${configHome}/dsh-acp`, ...(configFile === undefined ? [] : [configFile])],
  };
}
