import { carve } from "./carve.ts";
import { dropCapabilities, setNoNewPrivileges } from "./harden.ts";
import { LANDLOCK_MIN_ABI, landlockAbi, restrictByLandlock } from "./landlock.ts";
import type { Libc } from "./libc.ts";
import type { Policy } from "./policy.ts";
import { installSeccomp } from "./seccomp.ts";

/** Devices that are no way to anything: not the disks, and not other terminals. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** The namespace's own terminals, inside bubblewrap only. */
const NAMESPACE_DEVICES = ["/dev/pts"];
/** POSIX shared memory, inside bubblewrap only: it lies in the session's directory. */
const NAMESPACE_WRITABLE = ["/dev/shm"];

/** No read rule covers it: the devices above have rules of their own. */
const DEVICE_DIRECTORY = "/dev";

/**
 * Puts Landlock, the capabilities' drop and seccomp on this thread and all that it will start, for good. Throws
 * when one of them fails: then nothing must run. `execve` afterwards gives every thread the same confinement.
 *
 * `inNamespaces`: bubblewrap stands around this process. Its network is then an empty one of its own, in which
 * sockets are harmless, and its devices are its own too.
 */
export function confine(libc: Libc, policy: Policy, inNamespaces: boolean = false): void {
  const abi = landlockAbi(libc);
  if (abi < LANDLOCK_MIN_ABI) throw new Error(landlockFault(abi));
  setNoNewPrivileges(libc);
  restrictByLandlock(libc, abi, {
    read: [
      ...carve([...policy.secret, DEVICE_DIRECTORY]),
      ...policy.readable.map((path) => ({ path, isDirectory: true })),
    ],
    write: inNamespaces ? [...policy.writable, ...NAMESPACE_WRITABLE] : policy.writable,
    devices: DEVICES,
    deviceDirectories: inNamespaces ? NAMESPACE_DEVICES : [],
    network: policy.network || inNamespaces,
  });
  dropCapabilities(libc);
  installSeccomp(libc, policy.network || inNamespaces);
}

function landlockFault(abi: number): string {
  return abi === 0
    ? 'this kernel offers no Landlock; use Linux 6.2 or newer with "landlock" in its list of security modules ' +
      "(kernel parameter lsm=landlock,…), or choose the preset full-access"
    : `this kernel's Landlock (ABI ${abi}) cannot protect files from truncation; use Linux 6.2 or newer`;
}
