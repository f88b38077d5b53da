import type { Grant, GrantPart } from "./grant.ts";

/** Of the file's format. */
export const VERSION = 1;

/** A grant as it is kept. */
export interface StoredGrant {
  /** Made from what the grant covers: the same grant has the same id. */
  readonly id: string;
  /** ISO 8601. */
  readonly addedAt: string;
  readonly grant: Grant;
}

/** A file's content. */
export interface GrantRecord {
  readonly workspace: string;
  readonly grants: readonly StoredGrant[];
}

/**
 * Reads a grants file, strictly: what is not exactly as written by this version grants nothing at all, since
 * half a grant could be a wider one.
 */
export function parseRecord(text: string): GrantRecord | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "it is damaged" };
  }
  if (!isObject(value)) return { fault: "it is damaged" };
  if (typeof value.version === "number" && value.version > VERSION) {
    return { fault: "a newer version of this program wrote it" };
  }
  const { version, workspace, grants } = value;
  if (version !== VERSION || typeof workspace !== "string" || !Array.isArray(grants)) {
    return { fault: "it is damaged" };
  }
  return grants.every(isStored) ? { workspace, grants } : { fault: "it is damaged" };
}

function isStored(value: unknown): value is StoredGrant {
  return isObject(value) && hasOnly(value, "id addedAt grant") && typeof value.id === "string" &&
    typeof value.addedAt === "string" && isGrant(value.grant);
}

function isGrant(value: unknown): value is Grant {
  if (!isObject(value) || value.version !== 1) return false;
  switch (value.kind) {
    case "commands":
      return hasOnly(value, "version kind reach parts") &&
        ["confined", "network", "unconfined"].includes(String(value.reach)) &&
        Array.isArray(value.parts) && value.parts.length > 0 && value.parts.every(isPart);
    case "mcp":
      return hasOnly(value, "version kind server tool") && typeof value.server === "string" &&
        typeof value.tool === "string";
    case "fetch":
      return hasOnly(value, "version kind host") && typeof value.host === "string";
  }
  return false; // changes of files are granted for a session, never kept
}

function isPart(value: unknown): value is GrantPart {
  if (!isObject(value) || !isTexts(value.words) || value.words.length === 0) return false;
  if (value.kind === "exact") return hasOnly(value, "kind assignments words") && isTexts(value.assignments);
  return value.kind === "subcommand" && hasOnly(value, "kind words");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((v) => typeof v === "string");
}

function hasOnly(value: Record<string, unknown>, names: string): boolean {
  return Object.keys(value).sort().join(" ") === names.split(" ").sort().join(" ");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
