import { type Attack, python, syscall } from "./attack.ts";

/** Against other processes, the agent and the executor first of all. */
export const PROCESSES: readonly Attack[] = [
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
  {
    name: "stop a process of the user",
    command: (at) => `kill -STOP ${at.victim} && kill -CONT ${at.victim} && echo BREACH`,
  },
  {
    name: "signal it by a pidfd",
    command: (at) =>
      python(`
import signal
signal.pidfd_send_signal(os.pidfd_open(${at.victim}), 0); print("BREACH")`),
  },
  {
    name: "trace the agent",
    command: () => syscall(101, 0x4206, "AGENT", 0, 0),
    control: "depends on the kernel",
  },
  {
    name: "read the agent's memory by its pid",
    command: () =>
      python(`
buffer = ctypes.create_string_buffer(8)
class iovec(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
maps = [line for line in open("/proc/AGENT/maps") if "r--p" in line]
remote = iovec(int(maps[0].split("-")[0], 16), 8); local = iovec(ctypes.addressof(buffer), 8)
print(["stopped", "BREACH"][libc.syscall(310, AGENT, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0])`),
    control: "depends on the kernel",
  },
  { name: "look at the agent's descriptors", command: () => `readlink /proc/AGENT/fd/0 && echo BREACH` },
  { name: "look at where the agent is", command: () => `readlink /proc/AGENT/cwd && echo BREACH` },
  {
    name: "change the agent's limits",
    command: () => `prlimit --pid AGENT --core=0:0 && echo BREACH`,
    control: "depends on the kernel",
  },

  {
    name: "write to the terminal of others",
    command: () => `for t in /dev/pts/[0-9]* /dev/tty[0-9]*; do [ -w $t ] && : > $t && echo BREACH; done`,
    control: "depends on the kernel",
  },
];
