import type { LayerName } from "./report.ts";

/** Is a layer there, and if not: why not, and how to mend it, in one line for people. */
export type Probe = { readonly there: true } | { readonly there: false; readonly missing: string };

/**
 * A layer that stands around the executor's process: a program that the executor is started by. (Deno's flags,
 * the env scrub, Landlock, seccomp and the capabilities' drop need none; the executor tells of them itself.)
 */
export interface OuterLayer<Profile> {
  readonly name: LayerName & ("bubblewrap" | "seatbelt");
  /** Tries whether the machine can do it, with that very profile. Never rejects. */
  probe(profile: Profile): Promise<Probe>;
  /** The command line that runs `argv` inside. Pure. */
  wrap(profile: Profile, argv: readonly string[]): string[];
}
