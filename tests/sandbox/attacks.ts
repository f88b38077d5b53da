/** Where the attacks of the table are aimed. */
export interface Targets {
  readonly home: string;
  readonly workspace: string;
  readonly outside: string;
  readonly stateDir: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly unixSocket: string;
  readonly abstractSocket: string;
  /** A process of the test that nobody may signal. */
  readonly victim: number;
}

/** One attack by a command: it prints BREACH, or a secret that holds that word, when it succeeds. */
export interface Attack {
  readonly name: string;
  readonly command: (at: Targets) => string;
  /** Why the same attack fails without confinement too, if it does: for whom, or for what reason. */
  readonly control?: "root only" | "depends on the kernel";
}

const python = (code: string) => `python3 - <<'PYTHON'\nimport ctypes, os, socket\n${code}\nPYTHON`;
const CONNECTED = `print("BREACH")`;

const WRITES: Attack[] = [
  { name: "write a new file outside", command: (at) => `echo x > ${at.outside}/new && echo BREACH` },
  { name: "append outside", command: (at) => `echo x >> ${at.outside}/append && echo BREACH` },
  { name: "truncate outside", command: (at) => `truncate -s 0 ${at.outside}/truncate && echo BREACH` },
  { name: "remove outside", command: (at) => `rm ${at.outside}/remove && echo BREACH` },
  { name: "rename outside", command: (at) => `mv ${at.outside}/rename ${at.outside}/renamed && echo BREACH` },
  { name: "move out of the workspace", command: (at) => `touch m; mv m ${at.outside}/m && echo BREACH` },
  { name: "make a directory outside", command: (at) => `mkdir ${at.outside}/dir && echo BREACH` },
  { name: "make a FIFO outside", command: (at) => `mkfifo ${at.outside}/fifo && echo BREACH` },
  {
    name: "write through a symlink",
    command: (at) => `ln -sfn ${at.outside} link; echo x > link/through && echo BREACH`,
  },
  {
    name: "write by ..",
    command: (at) => `cd ${at.workspace}; echo x > ../../outside/dotdot && echo BREACH`,
  },
  {
    name: "write through a hard link",
    command: (at) => `ln ${at.outside}/hardlink hl && echo x >> hl && echo BREACH`,
  },
  {
    name: "write by /proc/self/root",
    command: (at) => `echo x > /proc/self/root${at.outside}/procroot && echo BREACH`,
  },
  { name: "open for writing", command: (at) => `exec 9<>${at.outside}/open && echo BREACH` },
  { name: "plant into the shell's start files", command: () => `echo x >> ~/.bashrc && echo BREACH` },
  {
    name: "write to the shared temporary directory",
    command: () => `f=/tmp/dsh-attack-$RANDOM$RANDOM; echo x > $f && rm $f && echo BREACH`,
  },
  { name: "write the agent's state", command: (at) => `echo x >> ${at.stateDir}/sessions.db && echo BREACH` },
];

const READS: Attack[] = [
  { name: "read a private key", command: () => `cat ~/.ssh/id` },
  { name: "read it by a symlink", command: () => `ln -sfn ~/.ssh s; cat s/id` },
  { name: "read it by /proc/self/root", command: (at) => `cat /proc/self/root${at.home}/.ssh/id` },
  { name: "copy it", command: () => `cp -r ~/.ssh copied; cat copied/id` },
  { name: "hard-link it", command: () => `ln ~/.ssh/id linked && cat linked` },
  { name: "read a secret place that is a symlink", command: () => `cat ~/.aws/credentials` },
  { name: "read where that symlink leads", command: () => `cat ~/dotfiles/aws/credentials` },
  { name: "read the agent's state", command: (at) => `cat ${at.stateDir}/sessions.db` },
  { name: "read another session's temporary files", command: (at) => `cat ${at.stateDir}/tmp/s2/spill` },
  {
    name: "read block devices",
    command: () => `for d in /dev/*; do [ -b $d ] && head -c 1 $d >/dev/null && echo BREACH; done`,
    control: "depends on the kernel",
  },
  { name: "read the password hashes", command: () => `cat /etc/shadow && echo BREACH`, control: "root only" },
];

const PROCESSES: Attack[] = [
  { name: "read the agent's environment", command: () => `tr '\\0' '\\n' < /proc/AGENT/environ` },
  {
    name: "read every environment",
    command: () => `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2>/dev/null | grep BREACH`,
  },
  { name: "read environments by ps", command: () => `ps eww -e | grep '[B]REACH-env'` },
  {
    name: "read the executor's environment",
    command: () => `cat /proc/$PPID/environ && echo BREACH`,
    control: "root only",
  },
  {
    name: "write into the executor's own answers",
    command: () => `echo '{"ev":"fatal","message":"forged"}' > /proc/$PPID/fd/1 && echo BREACH`,
    control: "depends on the kernel",
  },
  {
    name: "open the executor's memory",
    command: () => `python3 -c "open('/proc/$PPID/mem','rb'); print('BREACH')"`,
    control: "root only",
  },
  {
    name: "open the agent's memory",
    command: () => python(`open("/proc/AGENT/mem", "rb"); print("BREACH")`),
  },
  {
    name: "trace the executor",
    command: () =>
      `python3 -c "
import ctypes; print(['stopped', 'BREACH'][ctypes.CDLL(None).ptrace(16, $PPID, 0, 0) == 0])"; kill -CONT $PPID`,
    control: "depends on the kernel",
  },
  {
    name: "take the executor's descriptors",
    command: () =>
      `python3 -c "
import ctypes, os
print(['stopped', 'BREACH'][ctypes.CDLL(None).syscall(438, os.pidfd_open($PPID), 1, 0) >= 0])"`,
    control: "root only",
  },
  { name: "signal a process of the user", command: (at) => `kill -0 ${at.victim} && echo BREACH` },
  { name: "signal the agent", command: () => `kill -0 AGENT && echo BREACH` },
];

const NETWORK: Attack[] = [
  { name: "connect by TCP", command: (at) => `echo hi > /dev/tcp/127.0.0.1/${at.tcpPort} && echo BREACH` },
  { name: "send by UDP", command: (at) => `echo hi > /dev/udp/127.0.0.1/${at.udpPort} && echo BREACH` },
  {
    name: "listen",
    command: () => python(`s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print("BREACH")`),
  },
  {
    name: "connect to a unix socket",
    command: (at) => python(`s = socket.socket(socket.AF_UNIX); s.connect("${at.unixSocket}"); ${CONNECTED}`),
  },
  {
    name: "connect to an abstract socket",
    command: (at) =>
      python(`s = socket.socket(socket.AF_UNIX); s.connect("\\0${at.abstractSocket}"); ${CONNECTED}`),
  },
  {
    name: "make a pair of datagram sockets",
    command: () => python(`socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print("BREACH")`),
  },
  {
    name: "make one by its other name",
    command: () => python(`socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); print("BREACH")`),
  },
  {
    name: "ask the kernel for interfaces",
    command: () => python(`socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); print("BREACH")`),
  },
];

const PRIVILEGES: Attack[] = [
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
];

/** All attacks that a command can make. */
export const ATTACKS: readonly Attack[] = [...WRITES, ...READS, ...PROCESSES, ...NETWORK, ...PRIVILEGES];
