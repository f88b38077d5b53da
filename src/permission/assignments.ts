import { variableKind } from "./variables.ts";

/** Why a line that sets `name` cannot be judged, or undefined. */
export function assignmentFault(name: string, value: string | undefined): string | undefined {
  return variableKind(name, value) === "door" ? `it sets ${name}, which changes what runs` : undefined;
}

/** True for a plain variable of the shell's own, which no program reads. */
export function isOwnName(name: string | undefined): boolean {
  return name !== undefined && variableKind(name, undefined) === "own";
}
