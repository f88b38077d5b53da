import { type Attack, python, syscall } from "./attack.ts";

/** Against the kernel and the confinement itself. */
export const PRIVILEGES: readonly Attack[] = [
  {
    name: "hold a capability",
    command: () => `grep -qE '^Cap(Eff|Prm|Inh|Amb):.*[1-9a-f]' /proc/self/status && echo BREACH`,
    control: "root only",
  },
  {
    name: "be root with capabilities to come", // an ordinary user cannot empty this set, nor use it
    command: () => `[ $UID = 0 ] && grep -q '^CapBnd:.*[1-9a-f]' /proc/self/status && echo BREACH`,
    control: "root only",
  },
  { name: "gain privileges", command: () => `grep -q '^NoNewPrivs:.0' /proc/self/status && echo BREACH` },
  { name: "make a device", command: () => `mknod dev c 1 3 && echo BREACH`, control: "root only" },
  { name: "change the root", command: () => `chroot / true && echo BREACH`, control: "root only" },
  {
    name: "make a namespace",
    command: () => `unshare -U true && echo BREACH`,
    control: "depends on the kernel",
  },
  {
    name: "use the kernel's keyring",
    command: () => python(`print(["stopped", "BREACH"][ctypes.CDLL(None).syscall(250, 0, -3, 0) > 0])`),
    control: "depends on the kernel",
  },
  {
    name: "set up io_uring",
    command: () =>
      python(`
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(425, 1, ctypes.create_string_buffer(120))
print(["stopped", "BREACH"][ctypes.get_errno() not in (1, 38)])`),
    control: "depends on the kernel",
  },
  {
    name: "gain rights by sudo",
    command: () => `sudo -n true && echo BREACH`,
    control: "depends on the kernel",
  },
  {
    name: "mount a file system",
    command: () =>
      python(`
mounted = libc.mount(b"tmpfs", b".", b"tmpfs", 0, None) == 0
if mounted: libc.umount2(os.getcwd().encode(), 2)
print(["stopped", "BREACH"][mounted])`),
    control: "depends on the kernel",
  },
  {
    name: "open a tree to mount it elsewhere",
    command: () => syscall(428, -100, 'b"/"', 1),
    control: "depends on the kernel",
  },
  {
    name: "enter another namespace",
    command: () =>
      python(`
print(["stopped", "BREACH"][libc.setns(os.open("/proc/1/ns/net", os.O_RDONLY), 0) == 0])`),
    control: "depends on the kernel",
  },
  {
    name: "make a user namespace by clone",
    command: () => syscall(56, "0x10000000 | 17", 0, 0, 0, 0),
    control: "depends on the kernel",
  },
  {
    name: "make one by clone3",
    command: () =>
      python(`
args = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
pid = libc.syscall(435, ctypes.byref(args), 88)
if pid == 0: os._exit(0)
print(["stopped", "BREACH"][pid > 0])`),
    control: "depends on the kernel",
  },
  {
    name: "load a program into the kernel",
    command: () =>
      python(`
libc.syscall(321, 5, ctypes.create_string_buffer(120), 120)
print(["stopped", "BREACH"][ctypes.get_errno() not in (1, 38)])`),
    control: "depends on the kernel",
  },
  {
    name: "count events of the kernel",
    command: () =>
      python(`
libc.syscall(298, ctypes.create_string_buffer(b"\\0" * 4 + b"\\x70", 112), 0, -1, -1, 0)
print(["stopped", "BREACH"][ctypes.get_errno() not in (1, 13, 38)])`),
    control: "depends on the kernel",
  },
  { name: "handle page faults", command: () => syscall(323, 1), control: "depends on the kernel" },
  {
    name: "add a key",
    command: () => syscall(248, 'b"user"', 'b"dsh"', 'b"x"', 1, -3),
    control: "depends on the kernel",
  },
  {
    name: "open a file by its handle",
    command: () =>
      python(`
libc.syscall(304, -100, ctypes.create_string_buffer(128), 0)
print(["stopped", "BREACH"][ctypes.get_errno() not in (1, 38)])`),
    control: "root only",
  },
  {
    name: "type into a terminal",
    command: () =>
      python(`
import fcntl, pty, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSTI, b"x"); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "use the numbers of the x32 calls",
    command: () =>
      python(`
libc.syscall(0x40000000 + 41, 2, 1, 0)
print(["stopped", "BREACH"][ctypes.get_errno() == 0])`),
    control: "depends on the kernel",
  },
  { name: "read the kernel's log", command: () => `dmesg | grep -q . && echo BREACH`, control: "root only" },
  {
    name: "undo the confinement",
    command: () =>
      python(`
for resource in (1, 7, 12): 
    import resource as r
    soft, hard = r.getrlimit(resource)
    if hard == r.RLIM_INFINITY: continue
    try: r.setrlimit(resource, (hard + 1, hard + 1)); print("BREACH")
    except (ValueError, OSError): pass`),
    control: "depends on the kernel",
  },
];
