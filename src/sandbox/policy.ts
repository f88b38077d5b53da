import type { Preset } from "../config/config.ts";
import { isWithin, realPathOrSelf } from "./paths.ts";
import { HOME_SECRETS, MACHINE_SECRETS, ROOT_SECRETS } from "./secrets.ts";

/**
 * What one executor may do. Pure data: it is computed from preset and roots, sent to the executor in its
 * first message, and never widened afterwards.
 */
export interface Policy {
  readonly preset: Preset;
  /** False only for `full-access` and approved unconfined calls: no kernel layer is put on. */
  readonly confined: boolean;
  /** The session's cwd, absolute and real. */
  readonly cwd: string;
  /** Directories below which files may be written: absolute, real, existing. */
  readonly writable: readonly string[];
  /** Files and directories whose contents may not be read: absolute, real where they exist. */
  readonly secret: readonly string[];
  /** Directories inside `secret` ones that may be read after all; absolute and real. */
  readonly readable: readonly string[];
  /** The session's private temporary directory: always writable, `TMPDIR` of commands, home of spill files. */
  readonly tempDir: string;
  /** May sockets to the network be opened? */
  readonly network: boolean;
}

/** What {@linkcode policyFor} starts from; all paths absolute. */
export interface PolicyInput {
  readonly preset: Preset;
  readonly cwd: string;
  /** Further directories that the editor or the config made part of the workspace. */
  readonly extraRoots?: readonly string[];
  readonly home: string;
  readonly stateDir: string;
  readonly tempDir: string;
  /** The agent's other places (config, module cache): no workspace may hold them. */
  readonly ownPlaces?: readonly string[];
  /** The agent's places whose contents are secret beside `stateDir` (its config directory). */
  readonly ownSecrets?: readonly string[];
  /** Directories inside `ownSecrets` that hold nothing secret (the user's skills). */
  readonly ownReadable?: readonly string[];
  /** A wish for one call, after approval. */
  readonly wish?: "network" | "unconfined";
  /** Do commands run as root? Found out by default. */
  readonly asRoot?: boolean;
  /** Resolves symlinks; a path that does not exist comes back as far resolved as it goes. */
  readonly realPath?: (path: string) => string;
}

/** A policy and what had to be taken from the wish. */
export interface PolicyOutcome {
  readonly policy: Policy;
  /** One line for each root that is not writable although the preset would make it so. */
  readonly notes: readonly string[];
}

/**
 * Preset and roots → policy. Pure, given `realPath`. A root that is `/`, the home directory, or holds a secret
 * place or the agent's own files is no workspace: it stays readable, nothing but `tempDir` is writable for it,
 * and a note says so.
 */
export function policyFor(input: PolicyInput): PolicyOutcome {
  const real = input.realPath ?? realPathOrSelf;
  const tempDir = real(input.tempDir);
  const confined = input.preset !== "full-access" && input.wish !== "unconfined";
  const base = { preset: input.preset, confined, cwd: real(input.cwd), tempDir };
  if (!confined) {
    return { policy: { ...base, writable: [], secret: [], readable: [], network: true }, notes: [] };
  }

  const secret = unique(secretPlaces(input).map(real)).filter((s) => s !== "/");
  const roots = input.preset === "read-only" ? [] : unique([base.cwd, ...(input.extraRoots ?? []).map(real)]);
  const floor: Floor = {
    home: real(input.home),
    own: [...(input.ownPlaces ?? []), ...(input.ownSecrets ?? []), input.stateDir].map(real),
    secret,
    tempDir,
  };
  const faults = roots.map((root) => floorFault(root, floor));
  return {
    policy: {
      ...base,
      writable: unique([...roots.filter((_, i) => faults[i] === undefined), tempDir]),
      secret,
      readable: unique((input.ownReadable ?? []).map(real)).filter((place) =>
        isOwnReadable(place, secret, (input.ownSecrets ?? []).map(real))
      ),
      network: input.wish === "network",
    },
    notes: faults.flatMap((fault, i) => fault === undefined ? [] : [`${roots[i]} is not writable: ${fault}`]),
  };
}

interface Floor {
  home: string;
  own: readonly string[];
  secret: readonly string[];
  tempDir: string;
}

/** Why `root` is no workspace to make writable; undefined when it is one. */
function floorFault(root: string, floor: Floor): string | undefined {
  if (root === "/") return "it is the whole file system; open a project directory instead";
  if (root === floor.home) return "it is the home directory; open a project directory instead";
  if (isWithin(floor.home, root)) return "it holds the home directory; open a project directory instead";
  const own = floor.own.find((place) => isWithin(place, root));
  if (own !== undefined) return `it holds this agent's own files (${own})`;
  const inside = floor.own.find((place) => isWithin(root, place) && !isWithin(root, floor.tempDir));
  if (inside !== undefined) return `it lies in this agent's own files (${inside})`;
  const secret = floor.secret.find((place) => isWithin(place, root));
  return secret === undefined ? undefined : `it holds a place of secrets (${secret})`;
}

/** Only the agent's own secrecy is lifted, and never that of a place that itself is secret or holds one. */
function isOwnReadable(path: string, secret: readonly string[], own: readonly string[]): boolean {
  return !secret.some((place) =>
    isWithin(place, path) || (isWithin(path, place) && !own.some((mine) => mine === place))
  );
}

function secretPlaces(input: PolicyInput): string[] {
  return [
    ...HOME_SECRETS.map((name) => `${input.home}/${name}`),
    ...MACHINE_SECRETS,
    ...(input.asRoot ?? runsAsRoot() ? ROOT_SECRETS : []),
    input.stateDir,
    ...(input.ownSecrets ?? []),
  ];
}

function runsAsRoot(): boolean {
  try {
    return Deno.uid() === 0;
  } catch {
    return true; // not allowed to know: then be careful
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
