import stable from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import unstable from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json" with { type: "json" };
import addFormats from "ajv-formats";
import Ajv from "ajv/dist/2020.js";
import { type Fields, isFields, type Message, type RpcError } from "./wire.ts";

/** The longest line a client's reader is sure to take, in bytes. */
export const MAX_LINE: number = 64 * 1024;

/** The one method whose line may be longer: it carries a whole file. */
const UNBOUNDED = "fs/write_text_file";
const NUMBER_FORMATS = ["uint16", "uint32", "uint64", "int32", "int64", "double"];

const definitions = stable.$defs as unknown as Record<string, Fields>;
const drafts = unstable.$defs as unknown as Record<string, Fields>;
/** The definition of each method's params and result: `session/new` → `NewSessionRequest`, `NewSessionResponse`. */
const paramsOf = new Map<unknown, string>();
const resultOf = new Map<unknown, string>();
for (const [name, { "x-method": method }] of Object.entries(definitions)) {
  if (method) (name.endsWith("Response") ? resultOf : paramsOf).set(method, name);
}

const ajv = new Ajv.default({ strict: false, allErrors: false });
addFormats.default(ajv);
for (const format of NUMBER_FORMATS) ajv.addFormat(format, true);
ajv.addSchema(stable, "v1");
ajv.addSchema(unstable, "v1-unstable");

/**
 * What is wrong with one line that an agent wrote; empty if nothing is. `methodOf` tells which request a
 * response answers (undefined where none was sent with that id).
 */
export function faultsOfLine(line: string, methodOf: (id: unknown) => string | undefined): string[] {
  const faults = [];
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return [`not JSON: ${line.slice(0, 200)}`];
  }
  if (!isFields(message)) return [`not a JSON object: ${line.slice(0, 200)}`];
  if (message.jsonrpc !== "2.0") faults.push(`jsonrpc is ${JSON.stringify(message.jsonrpc)}`);
  const size = new TextEncoder().encode(line).length;
  if (size >= MAX_LINE && message.method !== UNBOUNDED) faults.push(`a line of ${size} bytes`);
  faults.push(...isCall(message) ? callFaults(message) : responseFaults(message, methodOf));
  return faults.map((fault) => `${fault} — in ${line.slice(0, 300)}`);
}

function isCall(message: Message): boolean {
  return message.method !== undefined;
}

function callFaults(message: Message): string[] {
  const method = message.method!;
  const name = paramsOf.get(method);
  const faults = unknownKeys(message as Fields, ["jsonrpc", "id", "method", "params"], "message");
  if (!name) return method.startsWith("_") ? faults : [...faults, `undefined method ${method}`];
  const params = message.params ?? {};
  faults.push(...schemaFaults(name, params, `${method} params`), ...strangers(name, params, "params"));
  if (method === "session/update") faults.push(...updateFaults(params.update as Fields));
  return faults;
}

function responseFaults(message: Message, methodOf: (id: unknown) => string | undefined): string[] {
  const faults = unknownKeys(message as Fields, ["jsonrpc", "id", "result", "error"], "message");
  if ("result" in message === "error" in message) faults.push("not exactly one of result and error");
  const method = methodOf(message.id);
  if (message.id !== null && method === undefined) faults.push(`answers an id that was never sent`);
  if (message.error !== undefined) return [...faults, ...errorFaults(message.error)];
  const name = resultOf.get(method);
  if (!name) return faults;
  const result = message.result ?? {};
  if (message.result === null) faults.push(`${method} result is null`);
  faults.push(...schemaFaults(name, result, `${method} result`), ...strangers(name, result, "result"));
  if (result.usage) faults.push(...schemaFaults("Usage", result.usage, `${method} usage`, "v1-unstable"));
  return faults;
}

function errorFaults(error: RpcError): string[] {
  const faults = unknownKeys(error as unknown as Fields, ["code", "message", "data"], "error");
  if (!Number.isInteger(error.code)) faults.push("error code is no integer");
  if (typeof error.message !== "string" || !error.message.trim()) return [...faults, "error without message"];
  if (/[\r\n]/.test(error.message)) faults.push("error message of several lines");
  return [...faults, ...dataFaults(error)];
}

/** Clients show `data.details` where it is the only member, and look for a missing session's id in `data`. */
function dataFaults({ code, message, data }: RpcError): string[] {
  if (code === -32002) {
    return isFields(data) && typeof data.sessionId === "string" ? [] : ["-32002 without data.sessionId"];
  }
  if (code !== -32603 && code !== -32000) return [];
  const same = isFields(data) && data.details === message && Object.keys(data).length === 1;
  return same ? [] : [`${code} whose data is not exactly {details: the message}`];
}

function updateFaults(update: Fields): string[] {
  const variants = (definitions.SessionUpdate?.oneOf ?? []) as Fields[];
  const variant = variants.find((v) => constOf(v) === update?.sessionUpdate);
  if (!variant) return [`unknown update ${String(update?.sessionUpdate)}`];
  return unknownKeys(update, [...keysOf(variant, definitions)], `update ${String(update.sessionUpdate)}`);
}

function constOf(variant: Fields): unknown {
  return ((variant.properties as Fields | undefined)?.sessionUpdate as Fields | undefined)?.const;
}

/** Root members that neither the schema nor its drafts know: the protocol wants these under `_meta`. */
function strangers(name: string, value: Fields, what: string): string[] {
  const keys = new Set([...keysOf(definitions[name]!, definitions), ...keysOf(drafts[name] ?? {}, drafts)]);
  return keys.size === 0 ? [] : unknownKeys(value, [...keys], `${name} ${what}`);
}

function unknownKeys(value: Fields, known: string[], what: string): string[] {
  return Object.keys(value).filter((key) => !known.includes(key)).map((key) => `${what} has a member ${key}`);
}

/** All property names that a definition allows, through `$ref`, `allOf`, `anyOf` and `oneOf`. */
function keysOf(definition: Fields, defs: Record<string, Fields>): Set<string> {
  const keys = new Set(Object.keys(definition.properties ?? {}));
  const ref = typeof definition.$ref === "string" ? defs[definition.$ref.replace("#/$defs/", "")] : undefined;
  const parts = [definition.allOf, definition.anyOf, definition.oneOf].flatMap((p) => (p ?? []) as Fields[]);
  for (const part of ref ? [ref, ...parts] : parts) for (const key of keysOf(part, defs)) keys.add(key);
  return keys;
}

function schemaFaults(name: string, value: unknown, what: string, schema = "v1"): string[] {
  const id = `${schema}#/$defs/${name}`;
  const validate = ajv.getSchema(id);
  if (!validate) throw new Error(`the schema has no ${id}`);
  if (validate(value)) return [];
  return [`${what}: ${ajv.errorsText(validate.errors)}`];
}
