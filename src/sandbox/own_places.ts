import type { PolicyInput } from "./policy.ts";

/** Deno's cache directory, as Deno itself finds it. */
export function denoDirOf(environment: Readonly<Record<string, string>>, home: string): string {
  if (environment.DENO_DIR) return environment.DENO_DIR;
  if (Deno.build.os === "darwin") return `${home}/Library/Caches/deno`;
  return `${environment.XDG_CACHE_HOME || `${home}/.cache`}/deno`;
}

/**
 * The agent's own places beside its state, for `policyFor`: its config is secret, and no workspace may hold the
 * cache that its own modules are loaded from.
 */
export function ownPlacesOf(
  environment: Readonly<Record<string, string>>,
  home: string,
): Required<Pick<PolicyInput, "ownPlaces" | "ownSecrets">> {
  const configHome = environment.XDG_CONFIG_HOME || `${home}/.config`;
  const named = environment.DSH_CONFIG?.startsWith("/") ? [environment.DSH_CONFIG] : [];
  return {
    ownPlaces: [denoDirOf(environment, home)],
    ownSecrets: [`${configHome}/dsh-acp`, ...named],
  };
}
