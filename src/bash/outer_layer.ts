import { messageOf } from "../errors.ts";
import {
  bubblewrap,
  type BubblewrapProfile,
  failedLine,
  isMasked,
  NO_BUBBLEWRAP,
  type Veil,
} from "../sandbox/bubblewrap.ts";
import { isWithin, realPathOrSelf } from "../sandbox/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { seatbelt, type SeatbeltProfile } from "../sandbox/seatbelt.ts";
import type { LaunchPlan } from "./launch.ts";

/** What an executor is started with around it, or the line that says why there is nothing. */
export type Outer =
  | { readonly kind: "bubblewrap"; readonly profile: BubblewrapProfile }
  | { readonly kind: "seatbelt"; readonly profile: SeatbeltProfile }
  | { readonly kind: "none"; readonly missing: readonly string[] };

/** What {@linkcode outerFor} looks at beside the plan. */
export interface OuterInput {
  readonly plan: LaunchPlan;
  readonly environment: Readonly<Record<string, string>>;
  /** False: it was decided that bubblewrap is not used. */
  readonly wanted: boolean;
  /** See `BubblewrapProfile`. */
  readonly pinned: readonly string[];
  readonly readOnly: readonly string[];
}

/** The command line of an executor's first process, with what stands around it. */
export function wrapped(outer: Outer, argv: readonly string[]): string[] {
  if (outer.kind === "bubblewrap") return bubblewrap.wrap(outer.profile, argv);
  return outer.kind === "seatbelt" ? seatbelt.wrap(outer.profile, argv) : [...argv];
}

/** Why bwrap failed on this machine, by whether it was to make a network namespace: it is not asked again. */
const failures = new Map<boolean, string>();

/** Decides whether bubblewrap stands around an executor. */
export function outerFor(input: OuterInput): Outer {
  const { plan, wanted, pinned, readOnly } = input;
  const { policy, tools } = plan;
  const none = (...missing: string[]): Outer => ({ kind: "none", missing });
  if (!policy.confined) return none();
  if (tools.sandboxExec !== undefined) {
    return { kind: "seatbelt", profile: { program: tools.sandboxExec, policy, pinned, readOnly } };
  }
  if (Deno.build.os !== "linux") return none();
  if (!wanted) return none("bubblewrap was switched off for this executor");
  if (tools.bwrap === undefined) return none(NO_BUBBLEWRAP);
  const failure = failures.get(policy.network);
  if (failure !== undefined) return none(failure);
  const exposed = exposedPlaces(plan, input.environment);
  return {
    kind: "bubblewrap",
    profile: {
      program: tools.bwrap,
      writable: policy.writable,
      tempDir: policy.tempDir,
      exposed,
      veiled: veilsOver(policy, exposed),
      pinned,
      readOnly: [...readOnly, ...policy.readable], // behind the veils: what lies in one is seen again
      network: policy.network,
    },
  };
}

/**
 * The line for an executor that could not be started inside bubblewrap. When bwrap fails with nothing but the
 * profile's bare bones too, that is the machine's fault, and it is not tried again in this process.
 */
export async function outerFailed(profile: BubblewrapProfile, thrown: unknown): Promise<string> {
  const bare = { ...profile, exposed: [], veiled: [], pinned: [], readOnly: [] };
  const probed = await bubblewrap.probe(bare);
  if (!probed.there) failures.set(profile.network, probed.missing);
  return probed.there ? failedLine(messageOf(thrown)) : probed.missing;
}

/**
 * What an executor and its commands need although it may lie in `/tmp` or `/run`: the program and modules that it
 * is, Deno's cache, programs in `PATH`, the home directory and the session's own; and where names are looked up.
 */
function exposedPlaces(plan: LaunchPlan, environment: Readonly<Record<string, string>>): string[] {
  const modules = plan.entry.startsWith("file:") ? [sourceRoot(plan.entry)] : [];
  const path = (environment.PATH ?? "").split(":").filter((place) => place.startsWith("/"));
  const home = environment.HOME?.startsWith("/") ? [environment.HOME] : [];
  const resolver = plan.policy.network ? [realPathOrSelf("/etc/resolv.conf")] : [];
  return [
    plan.program,
    plan.tools.bash,
    ...(plan.tools.rg === undefined ? [] : [plan.tools.rg]),
    ...modules,
    plan.denoDir,
    ...path,
    ...home,
    plan.policy.cwd,
    ...resolver,
  ]
    .filter((place) => isMasked(place) && place !== "/tmp" && place !== "/run");
}

/** The directory above that of the executor's module: it imports from its siblings' directories too. */
function sourceRoot(entry: string): string {
  return decodeURIComponent(new URL("..", entry).pathname).replace(/(?<=.)\/$/, "");
}

/** Names of a veiled directory that stay visible. */
const MAX_VEILED_NAMES = 64;

function veilsOver(policy: Policy, exposed: readonly string[]): Veil[] {
  return policy.secret.filter((place) =>
    isWithin(place, "/tmp") && exposed.some((outer) => isWithin(place, outer)) &&
    !policy.secret.some((other) => other !== place && isWithin(place, other))
  ).flatMap((place) => veilOver(place, [...policy.writable, ...policy.readable]));
}

/**
 * Looks at a secret place itself: neither a symlink is followed nor a file opened. `mounted`: what lies there and
 * is mounted over the veil.
 */
function veilOver(path: string, mounted: readonly string[]): Veil[] {
  try {
    const info = Deno.lstatSync(path);
    if (info.isSymlink) return [];
    if (!info.isDirectory) return [{ path }];
    const names = Array.from(Deno.readDirSync(path), (entry) => entry.name)
      .filter((name) => !mounted.some((root) => isWithin(root, `${path}/${name}`)));
    return [{ path, names: names.slice(0, MAX_VEILED_NAMES) }];
  } catch {
    return []; // it does not exist, or cannot be looked at from inside either
  }
}
