import { LANDLOCK_SCOPE_ABI, landlockAbi } from "./landlock.ts";
import type { Libc } from "./libc.ts";
import { readProc, statusField } from "./procfs.ts";
import type { LayerName } from "./report.ts";

/** What a layer, or a list of them, came to. */
export interface Obtained {
  readonly layers: readonly LayerName[];
  /** What was not to be had, one line each, with the mend. */
  readonly missing: readonly string[];
}

/** The first field of a mount's options that tells that it cannot be written. */
const READ_ONLY_ROOT = /^\d+ \d+ \S+ \/ \/ (ro|\S*,ro)(,\S*)? /m;

/** Throws when this process is not the first of its own namespaces, with a root that cannot be written. */
export function verifyNamespaces(libc: Libc): void {
  if (libc.must("asking for the parent", "getppid") !== 1) {
    throw new Error("bubblewrap does not hold (processes)");
  }
  const mounts = readProc(libc, "/proc/self/mountinfo") ?? "";
  if (!READ_ONLY_ROOT.test(mounts)) throw new Error("bubblewrap does not hold (the root can be written)");
}

/**
 * Looks at what really holds for this process, after the `execve`, by what the kernel says and by trying. Throws
 * when a layer is not there: what stage 1 meant to do is no proof.
 */
export function verifyConfinement(libc: Libc): Obtained {
  const status = readProc(libc, "/proc/self/status");
  if (status === undefined) throw new Error("/proc/self/status cannot be read");
  const expect = (field: string, value: RegExp, layer: string) => {
    const actual = statusField(status, field) ?? "nothing";
    if (!value.test(actual)) throw new Error(`${layer} does not hold (${field} is ${actual})`);
  };
  expect("NoNewPrivs", /^1$/, "no_new_privs");
  expect("Seccomp", /^2$/, "seccomp");
  expect("CapEff", /^0+$/, "the capabilities' drop");
  expect("CapPrm", /^0+$/, "the capabilities' drop");
  // Landlock forbids looking into processes outside of its domain, and the agent is one.
  const parent = libc.must("asking for the parent", "getppid");
  if (readProc(libc, `/proc/${parent}/environ`) !== undefined) {
    throw new Error("Landlock does not hold (the agent's environment can be read)");
  }
  const scoped = landlockAbi(libc) >= LANDLOCK_SCOPE_ABI;
  if (scoped && parent > 0 && libc.try("kill", parent, 0) === 0) {
    throw new Error("Landlock does not hold (the agent can be signalled)");
  }
  return {
    layers: ["landlock", "seccomp", "capabilities"],
    missing: scoped ? [] : ["signals to other processes are not confined: use Linux 6.12 or newer"],
  };
}
