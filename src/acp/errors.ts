import { RequestError } from "@agentclientprotocol/sdk";
import { AgentError, isAbort, messageOf, redact } from "../errors.ts";

/** JSON-RPC and ACP error codes that this agent answers with. */
const CODES = {
  "auth-required": -32000,
  "invalid-params": -32602,
  "session-not-found": -32002,
  "cancelled": -32800,
  "model": -32603,
  "sandbox": -32603,
  "store": -32603,
  "config": -32603,
  "usage": -32603,
  "internal": -32603,
} as const;

/**
 * The one place where a failure becomes a JSON-RPC error: one line that names the cause, the same in
 * `data.details` (some clients show only that), never a stack, never one of `secrets`.
 */
export function toRequestError(thrown: unknown, secrets: readonly string[]): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const message = redact(messageOf(thrown), secrets);
  if (thrown instanceof AgentError) {
    const data = thrown.kind === "session-not-found" ? thrown.data : { details: message };
    return new RequestError(CODES[thrown.kind], message, data);
  }
  if (isAbort(thrown)) {
    return new RequestError(CODES.cancelled, "Request cancelled.", { details: "Request cancelled." });
  }
  return new RequestError(CODES.internal, message, { details: message });
}
