import type { Preset } from "../config/config.ts";

/** One mechanism that confines the executor. */
export type LayerName =
  | "deno"
  | "env-scrub"
  | "landlock"
  | "seccomp"
  | "capabilities"
  | "bubblewrap"
  | "seatbelt";

/**
 * How much holds: `full` = files, network and processes by the kernel, protected paths and own namespaces
 * included (bubblewrap, Landlock and seccomp, or seatbelt); `partial` = Landlock and seccomp; `none` = no
 * kernel layer.
 */
export type Enforcement = "full" | "partial" | "none";

/** What an executor obtained, as it told in its `ready` message. */
export interface ConfinementReport {
  readonly preset: Preset;
  readonly enforcement: Enforcement;
  readonly layers: readonly LayerName[];
  /** What the kernel or the machine did not give, one line each, with the mend. */
  readonly missing: readonly string[];
}

/** The layers without which a confined policy runs nothing, where bubblewrap and seatbelt are not there. */
export const REQUIRED_LAYERS: readonly LayerName[] = ["env-scrub", "landlock", "seccomp", "capabilities"];

/** What the layers come to. */
export function enforcementOf(layers: readonly LayerName[]): Enforcement {
  if (layers.includes("seatbelt")) return "full";
  if (!REQUIRED_LAYERS.every((layer) => layers.includes(layer))) return "none";
  return layers.includes("bubblewrap") ? "full" : "partial";
}
