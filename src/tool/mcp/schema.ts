import type { Json } from "../tool.ts";

/** Characters of JSON of one tool's schema; more would crowd out the conversation. */
const MAX_SCHEMA = 8 * 1024;
const MAX_DEPTH = 24;

/** A schema as the model is told of it. */
export interface SafeSchema {
  readonly schema: Readonly<Record<string, Json>>;
  /** Set: what the server said is not shown, for this reason. */
  readonly note?: string;
}

/**
 * A server's schema of a tool's arguments, fit for any provider: an object at its root, bounded. Keywords that are
 * not known stay: providers pass them on to the model. What cannot be shown becomes an object of anything. Pure.
 */
export function safeSchema(given: unknown): SafeSchema {
  if (!isObject(given)) return open("The server says nothing of its arguments.");
  if (!isShallow(given, MAX_DEPTH)) return open("Its arguments are nested too deeply to be listed here.");
  const { $schema: _, ...schema } = given as Record<string, Json>;
  const length = JSON.stringify(schema).length;
  if (length > MAX_SCHEMA) {
    return open(`The list of its arguments is too long to be shown (${length} characters).`);
  }
  const rooted = {
    ...schema,
    type: "object",
    properties: isObject(schema.properties) ? schema.properties : {},
  };
  return { schema: rooted as Record<string, Json> };
}

function open(note: string): SafeSchema {
  return { schema: { type: "object", properties: {}, additionalProperties: true }, note };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
