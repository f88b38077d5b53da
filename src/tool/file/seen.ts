import type { Json } from "../tool.ts";

/** Which content of a file the model knows after a call; a part of the call's facts. */
export interface Seen {
  readonly path: string;
  /** See `contentHash`. */
  readonly hash: string;
}

/** Facts that say what the model has seen; to be spread into a call's others. */
export function seenAs(path: string, hash: string): { readonly seen: { path: string; hash: string } } {
  return { seen: { path, hash } };
}

/** What a call's facts say of that; undefined for all others, also those of another version's log. */
export function seenIn(facts: Json | undefined): Seen | undefined {
  if (typeof facts !== "object" || facts === null || !("seen" in facts)) return undefined;
  const { seen } = facts;
  if (typeof seen !== "object" || seen === null || !("path" in seen) || !("hash" in seen)) return undefined;
  const { path, hash } = seen;
  return typeof path === "string" && typeof hash === "string" ? { path, hash } : undefined;
}
