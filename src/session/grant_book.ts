import type { Log } from "../log.ts";
import type { Always } from "../permission/decide.ts";
import type { Grant } from "../permission/grant.ts";
import { GrantStore } from "../permission/grant_store.ts";
import type { GrantBook } from "./ports.ts";

/**
 * The grants of one session: those of its workspace, read anew each time since other sessions add to them, and
 * those that the user gave for this session alone.
 */
export function sessionGrants(stateDir: string, cwd: string, log: Log): GrantBook {
  const ofSession: Grant[] = [];
  let store: Promise<GrantStore> | undefined;
  const open = () => store ??= GrantStore.of(stateDir, cwd);
  return {
    list: async () => {
      const { grants, warning } = await (await open()).load();
      if (warning) log.warn("grants cannot be used", { warning });
      return [...ofSession, ...grants.map((g) => g.grant)];
    },
    remember: async ({ grant, scope }: Always) => {
      if (scope === "session") ofSession.push(grant);
      else await (await open()).add(grant);
    },
  };
}
