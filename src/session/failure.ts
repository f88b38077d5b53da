import { AgentError, messageOf } from "../errors.ts";
import { ModelError } from "../model/model.ts";
import type { Failure } from "./event.ts";

/** Why a turn failed, as it is logged. */
export function failureOf(e: unknown): Failure {
  if (e instanceof ModelError) {
    return { kind: e.fault === "auth" ? "auth-required" : "model", message: e.message };
  }
  if (e instanceof AgentError && e.kind === "auth-required") {
    return { kind: "auth-required", message: e.message };
  }
  return { kind: "internal", message: messageOf(e) };
}
