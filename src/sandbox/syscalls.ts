/** The architectures whose system calls are known here. */
export type Arch = typeof Deno.build.arch;

/** Numbers of the system calls that are called or filtered: `[x86_64, aarch64]`. */
const NUMBERS = {
  // called
  read: [0, 63],
  close: [3, 57],
  lseek: [8, 62],
  execve: [59, 221],
  wait4: [61, 260],
  kill: [62, 129],
  getppid: [110, 173],
  setsid: [112, 157],
  capset: [126, 91],
  prctl: [157, 167],
  prlimit64: [302, 261],
  openat: [257, 56],
  seccomp: [317, 277],
  statx: [332, 291],
  statfs: [137, 43],
  close_range: [436, 436],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  // looked at
  ioctl: [16, 29],
  clone: [56, 220],
  clone3: [435, 435],
  socket: [41, 198],
  socketpair: [53, 199],
  // sockets
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  // other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // kernel interfaces with a history
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // mounts and namespaces
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  open_by_handle_at: [304, 265],
  // the machine
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
} as const satisfies Record<string, readonly [number, number]>;

/** A system call by name. */
export type SyscallName = keyof typeof NUMBERS;

/** The number of a system call on an architecture. */
export function syscallNumber(name: SyscallName, arch: Arch): number {
  return NUMBERS[name][arch === "x86_64" ? 0 : 1];
}
