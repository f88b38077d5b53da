import {
  type CallToolResult,
  type ReadResourceResult,
  specTypeSchemas,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import { plainLineOf } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The result of a call, but that bytes whose Base64 is broken become a text that says so: the library refuses the
 * whole result for them, and all that came beside would be lost.
 */
export const callToolResult: StandardSchemaV1<unknown, CallToolResult> = after(
  (result) => mapped(result, "content", mendedBlock),
  specTypeSchemas.CallToolResult,
);

/** The same of a resource. */
export const readResourceResult: StandardSchemaV1<unknown, ReadResourceResult> = after(
  (result) => mapped(result, "contents", mendedContents),
  specTypeSchemas.ReadResourceResult,
);

function after<T>(
  mend: (value: unknown) => unknown,
  schema: StandardSchemaV1<unknown, T>,
): StandardSchemaV1<unknown, T> {
  const { version, vendor, validate } = schema["~standard"];
  return { "~standard": { version, vendor, validate: (value, options) => validate(mend(value), options) } };
}

/** What is not of the expected form stays as it is: the schema says so. */
function mapped(result: unknown, key: string, mend: (item: Fields) => Fields): unknown {
  if (!isObject(result) || !Array.isArray(result[key])) return result;
  return { ...result, [key]: result[key].map((item) => isObject(item) ? mend(item) : item) };
}

function mendedBlock(block: Fields): Fields {
  if (isObject(block.resource)) return { ...block, resource: mendedContents(block.resource) };
  return isBroken(block.data) ? { type: "text", text: note(block.type, block.mimeType) } : block;
}

function mendedContents(contents: Fields): Fields {
  const { blob, mimeType, ...rest } = contents;
  return isBroken(blob) ? { ...rest, text: note("resource", mimeType) } : contents;
}

function isBroken(base64: unknown): boolean {
  if (typeof base64 !== "string") return false;
  try {
    atob(base64); // as the library looks at it
    return false;
  } catch {
    return true;
  }
}

function note(what: unknown, mimeType: unknown): string {
  return `[${plainLineOf(`${what}, ${mimeType ?? "bytes"}`, 80)}: not shown, since its Base64 is broken]`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
