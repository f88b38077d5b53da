import { alloc, EACCES, ENOSYS, EPERM, type Libc } from "./libc.ts";
import { type Arch, type SyscallName, syscallNumber } from "./syscalls.ts";

/** One instruction of classic BPF: operation, jump if true, jump if false, constant. */
export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, k: number];

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54; // BPF_ALU | BPF_AND | BPF_K
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_BITS = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000];
const KILL_PROCESS: Instruction = [RETURN, 0, 0, 0x80000000];
const fail = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno];

/** Offsets in struct seccomp_data; arguments by their low 32 bits (both architectures are little-endian). */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): Instruction => [LOAD, 0, 0, 16 + 8 * index];

const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const X32_BIT = 0x40000000;

const AF_UNIX = 1;
const INTERNET_FAMILIES = [2, 10, 16]; // AF_INET, AF_INET6, AF_NETLINK (name lookup asks it for interfaces)
const SOCK_TYPE_MASK = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x7e020000;

/** Refused whatever the arguments are. */
const DENIED: readonly SyscallName[] = [
  ...["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"] as const,
  ...["io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open"] as const,
  ...["userfaultfd", "add_key", "request_key", "keyctl"] as const,
  ...["mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount"] as const,
  ...["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr"] as const,
  ...["open_by_handle_at", "init_module", "finit_module", "delete_module", "kexec_load"] as const,
  ...["kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd"] as const,
];

/** Of no use without a socket; refused so that one that slipped in by some other way is of no use either. */
const DENIED_OFFLINE: readonly SyscallName[] = ["connect", "bind", "listen"];

/**
 * The filter as a program. Without `network` the only sockets are connected pairs of streams (what Node and
 * Deno use for child processes); with it, internet sockets too. Unix sockets stay closed in both: they lead to
 * Docker, ssh-agent and D-Bus.
 */
export function seccompProgram(network: boolean, arch: Arch): Instruction[] {
  const on = (name: SyscallName, ...body: Instruction[]): Instruction[] => [
    [IF_EQUAL, 0, body.length, syscallNumber(name, arch)],
    ...body,
  ];
  return [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, AUDIT_ARCH[arch === "x86_64" ? "x86_64" : "aarch64"]],
    KILL_PROCESS, // another architecture's numbers would pass unseen
    [LOAD, 0, 0, NUMBER],
    ...(arch === "x86_64" ? [[IF_AT_LEAST, 0, 1, X32_BIT] as const, fail(ENOSYS)] : []),
    ...[...DENIED, ...(network ? [] : DENIED_OFFLINE)].flatMap((name) => on(name, fail(EPERM))),
    ...on("clone3", fail(ENOSYS)), // its flags are in memory, out of a filter's sight; libc falls back to clone
    ...on("clone", argument(0), [IF_BITS, 0, 1, NAMESPACE_FLAGS], fail(EPERM), ALLOW),
    ...on("ioctl", argument(1), [IF_EQUAL, 1, 0, TIOCSTI], [IF_EQUAL, 0, 1, TIOCLINUX], fail(EPERM), ALLOW),
    ...on("prlimit64", argument(0), [IF_EQUAL, 1, 0, 0], fail(EPERM), ALLOW), // of other processes: the agent
    ...on("socket", ...socketBody(network)),
    ...on("socketpair", ...SOCKETPAIR_BODY),
    ALLOW,
  ];
}

function socketBody(network: boolean): Instruction[] {
  if (!network) return [fail(EACCES)];
  const last = INTERNET_FAMILIES.length;
  const families = INTERNET_FAMILIES.map((family, i): Instruction => [IF_EQUAL, last - i, 0, family]);
  return [argument(0), ...families, fail(EACCES), ALLOW];
}

/** Only streams and packets: an end of a datagram pair (SOCK_RAW means the same) could write to any socket. */
const SOCKETPAIR_BODY: readonly Instruction[] = [
  argument(0),
  [IF_EQUAL, 0, 4, AF_UNIX],
  argument(1),
  [AND, 0, 0, SOCK_TYPE_MASK],
  [IF_EQUAL, 2, 0, SOCK_STREAM],
  [IF_EQUAL, 1, 0, SOCK_SEQPACKET],
  fail(EACCES),
  ALLOW,
];

/** Puts the filter on every thread of this process and all that it will start. Needs no_new_privs. */
export function installSeccomp(libc: Libc, network: boolean): void {
  const program = encode(seccompProgram(network, libc.arch));
  const descriptor = alloc(16); // struct sock_fprog
  const view = new DataView(descriptor.buffer);
  view.setUint16(0, program.length / 8, true);
  view.setBigUint64(8, libc.pin(program), true);
  const [SET_MODE_FILTER, TSYNC] = [1, 1];
  const result = libc.must("installing the seccomp filter", "seccomp", SET_MODE_FILTER, TSYNC, descriptor);
  // With TSYNC a positive result is the thread that could not take the filter.
  if (result !== 0) throw new Error(`thread ${result} could not take the seccomp filter`);
}

function encode(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const memory = alloc(program.length * 8);
  const view = new DataView(memory.buffer);
  program.forEach(([code, ifTrue, ifFalse, k], i) => {
    view.setUint16(i * 8, code, true);
    view.setUint8(i * 8 + 2, ifTrue);
    view.setUint8(i * 8 + 3, ifFalse);
    view.setUint32(i * 8 + 4, k >>> 0, true);
  });
  return memory;
}
