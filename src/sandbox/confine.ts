import { carve } from "./carve.ts";
import { dropCapabilities, setNoNewPrivileges } from "./harden.ts";
import { LANDLOCK_MIN_ABI, LANDLOCK_SCOPE_ABI, landlockAbi, restrictByLandlock } from "./landlock.ts";
import type { Libc } from "./libc.ts";
import { realPathOrSelf } from "./paths.ts";
import type { Policy } from "./policy.ts";
import { readProc, statusField } from "./procfs.ts";
import type { LayerName } from "./report.ts";
import { installSeccomp } from "./seccomp.ts";

/** What a layer, or a list of them, came to. */
export interface Obtained {
  readonly layers: readonly LayerName[];
  /** What was not to be had, one line each, with the mend. */
  readonly missing: readonly string[];
}

/** Devices that are no way to anything: not the disks, and not other terminals. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** No read rule covers it: the devices above have rules of their own. */
const DEVICE_DIRECTORY = "/dev";

/**
 * Puts Landlock, the capabilities' drop and seccomp on this thread and all that it will start, for good. Throws
 * when one of them fails: then nothing must run. `execve` afterwards gives every thread the same confinement.
 */
export function confine(libc: Libc, policy: Policy): void {
  const abi = landlockAbi(libc);
  if (abi < LANDLOCK_MIN_ABI) throw new Error(landlockFault(abi));
  const secret = [...policy.secret.map(realPathOrSelf), DEVICE_DIRECTORY];
  setNoNewPrivileges(libc);
  restrictByLandlock(libc, abi, {
    read: carve("/", secret),
    write: policy.writable,
    devices: DEVICES,
    network: policy.network,
  });
  dropCapabilities(libc);
  installSeccomp(libc, policy.network);
}

function landlockFault(abi: number): string {
  return abi === 0
    ? 'this kernel offers no Landlock; use Linux 6.2 or newer with "landlock" in its list of security modules ' +
      "(kernel parameter lsm=landlock,…), or choose the preset full-access"
    : `this kernel's Landlock (ABI ${abi}) cannot protect files from truncation; use Linux 6.2 or newer`;
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
  return {
    layers: ["landlock", "seccomp", "capabilities"],
    missing: scoped ? [] : ["signals to other processes are not confined: use Linux 6.12 or newer"],
  };
}
