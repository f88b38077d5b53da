import type { Preset } from "../config/config.ts";

/** What a tool is about to do. */
export type Action =
  | { readonly kind: "command"; readonly command: string; readonly cwd: string }
  | { readonly kind: "edit"; readonly path: string }
  | { readonly kind: "read"; readonly path: string };

/** May it run? A question carries what the user must know to answer it. */
export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask"; readonly reason: string };

/** What a decision rests on. */
export interface Standing {
  readonly preset: Preset;
  /** Undefined: the preset's confinement holds. Else why it could not be put on: nothing runs unasked. */
  readonly unconfinedBecause?: string | undefined;
}

/**
 * Decides whether an action may run unasked. Pure and total; it never widens anything: an approved action
 * still runs in the executor that `policyFor` gives.
 */
export function decide(standing: Standing, action: Action): Decision {
  if (standing.preset === "full-access") return { verdict: "allow" };
  if (standing.unconfinedBecause !== undefined) {
    return ask(
      `This would run without confinement, because it could not be put on: ${standing.unconfinedBecause}`,
    );
  }
  switch (action.kind) {
    case "read":
      return { verdict: "allow" };
    case "command":
      return standing.preset === "confirm"
        ? ask("The preset `confirm` asks before each command.")
        : { verdict: "allow" };
    case "edit":
      return standing.preset === "workspace"
        ? { verdict: "allow" }
        : ask(`The preset \`${standing.preset}\` asks before each change of a file.`);
  }
}

function ask(reason: string): Decision {
  return { verdict: "ask", reason };
}
