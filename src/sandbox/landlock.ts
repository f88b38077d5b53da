import type { Granted } from "./carve.ts";
import { alloc, cString, type Libc, SyscallError } from "./libc.ts";

/** What a Landlock domain lets through; all paths real. */
export interface LandlockRules {
  /** Contents may be read and programs run at and below these. */
  readonly read: readonly Granted[];
  /** Directories: below them things are read and written, made, renamed and removed. */
  readonly write: readonly string[];
  /** Single files (devices) that are read and written as they are. */
  readonly devices: readonly string[];
  /** Directories of devices (terminals) that are read and written as they are. */
  readonly deviceDirectories?: readonly string[];
  /** False: no TCP either (all other sockets are for seccomp). */
  readonly network: boolean;
}

/** Rights on files, by bit (linux/landlock.h). */
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const MAKE_CHAR = 1n << 6n;
const MAKE_BLOCK = 1n << 11n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;
/** The rights that a rule on something that is no directory may hold. */
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
/** Bind and connect TCP. */
const NET_RIGHTS = 3n;
/** Abstract sockets and signals to processes outside of the domain. */
const SCOPES = 3n;

const RULE_PATH_BENEATH = 1;
const O_PATH_CLOEXEC = 0o10000000 | 0o2000000;
const AT_FDCWD = -100;

/** The least ABI that keeps files outside unharmed: before 3, truncating them could not be forbidden. */
export const LANDLOCK_MIN_ABI = 3;
/** From this ABI on signals and abstract sockets are kept inside. */
export const LANDLOCK_SCOPE_ABI = 6;

/** The kernel's Landlock ABI; 0 when it has none or it is switched off. */
export function landlockAbi(libc: Libc): number {
  const abi = libc.try("landlock_create_ruleset", 0, 0, 1);
  return abi > 0 ? abi : 0;
}

/**
 * Confines the calling thread and all that it will start, for good. Needs no_new_privs. Throws when any rule
 * of an existing path cannot be set: then nothing must run.
 */
export function restrictByLandlock(libc: Libc, abi: number, rules: LandlockRules): void {
  const handled = handledRights(abi);
  const attributes = new BigUint64Array(alloc(24).buffer);
  attributes.set([handled, rules.network ? 0n : NET_RIGHTS, SCOPES]);
  const size = abi >= LANDLOCK_SCOPE_ABI ? 24 : abi >= 4 ? 16 : 8;
  const memory = new Uint8Array(attributes.buffer);
  const ruleset = libc.must("making a Landlock ruleset", "landlock_create_ruleset", memory, size, 0);
  const add = ({ path, isDirectory }: Granted, rights: bigint) => {
    addRule(libc, ruleset, path, rights & handled & (isDirectory ? handled : FILE_RIGHTS));
  };

  add({ path: "/", isDirectory: true }, READ_DIR); // names may be listed everywhere, contents only where granted
  for (const entry of rules.read) add(entry, EXECUTE | READ_FILE | READ_DIR);
  for (const path of rules.write) {
    add({ path, isDirectory: true }, handled & ~IOCTL_DEV & ~MAKE_CHAR & ~MAKE_BLOCK);
  }
  for (const path of rules.devices) {
    add({ path, isDirectory: false }, READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV);
  }
  for (const path of rules.deviceDirectories ?? []) {
    add({ path, isDirectory: true }, READ_FILE | WRITE_FILE | READ_DIR | TRUNCATE | IOCTL_DEV);
  }
  libc.must("entering the Landlock domain", "landlock_restrict_self", ruleset, 0);
  libc.must("closing the ruleset", "close", ruleset);
}

function handledRights(abi: number): bigint {
  return (REFER - 1n) | (abi >= 2 ? REFER : 0n) | (abi >= 3 ? TRUNCATE : 0n) | (abi >= 5 ? IOCTL_DEV : 0n);
}

/** Adds a rule on what stands at `path`; a path that vanished or cannot be reached grants nothing. */
function addRule(libc: Libc, ruleset: number, path: string, rights: bigint): void {
  const fd = libc.try("openat", AT_FDCWD, cString(path), O_PATH_CLOEXEC);
  if (fd < 0) return;
  const rule = alloc(12); // struct landlock_path_beneath_attr is packed
  const view = new DataView(rule.buffer);
  view.setBigUint64(0, rights, true);
  view.setInt32(8, fd, true);
  const result = libc.try("landlock_add_rule", ruleset, RULE_PATH_BENEATH, rule, 0);
  libc.must("closing a path", "close", fd);
  if (result < 0) throw new SyscallError(`allowing ${path} in Landlock`, -result);
}
