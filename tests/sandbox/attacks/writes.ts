import { type Attack, python } from "./attack.ts";

/** Against files outside of the workspace. */
export const WRITES: readonly Attack[] = [
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
    harmlessInside: true,
  },
  { name: "write the agent's state", command: (at) => `echo x >> ${at.stateDir}/sessions.db && echo BREACH` },
  {
    name: "change the mode of a file outside",
    command: (at) => `chmod 777 ${at.outside}/mode && echo BREACH`,
    landlockGap: true,
  },
  {
    name: "change the times of a file outside",
    command: (at) => `touch -d 2001-01-01 ${at.outside}/times && echo BREACH`,
    landlockGap: true,
  },
  {
    name: "set an attribute of a file outside",
    command: (at) => python(`os.setxattr("${at.outside}/times", "user.x", b"1"); print("BREACH")`),
    landlockGap: true,
  },
  {
    name: "make a nameless file outside",
    command: (at) => python(`os.open("${at.outside}", os.O_TMPFILE | os.O_RDWR); print("BREACH")`),
  },
  {
    name: "swap a file with one outside",
    command: (at) =>
      `echo mine > swap; ` + python(`
print(["stopped", "BREACH"][libc.syscall(316, -100, b"swap", -100, b"${at.outside}/swap", 2) == 0])`),
  },
  {
    name: "win a race by swapping a directory for a symlink",
    command: (at) =>
      python(`
os.makedirs("real", exist_ok=True)
swapper = os.fork()
while swapper == 0:
    for target in "real", "${at.outside}":
        os.symlink(target, "next"); os.rename("next", "race")
import time
until = time.time() + 0.6
while time.time() < until and not os.path.exists("${at.outside}/raced"):
    try: open("race/raced", "w").close()
    except OSError: pass
os.kill(swapper, 9)
print(["stopped", "BREACH"][os.path.exists("${at.outside}/raced")])`),
  },
  {
    name: "copy a tree outside",
    command: (at) => `mkdir -p tree/a; cp -r tree ${at.outside}/tree && echo BREACH`,
  },
  {
    name: "write by the executor's working directory",
    command: (at) => `echo x > /proc/$PPID/cwd${at.outside}/cwd && echo BREACH`,
    control: "root only",
  },
  {
    name: "write by the executor's root",
    command: (at) => `echo x > /proc/$PPID/root${at.outside}/root && echo BREACH`,
    control: "root only",
  },
  {
    name: "start a program with the session",
    command: () => `mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/x.desktop && echo BREACH`,
  },
  { name: "let another key in", command: () => `echo key >> ~/.ssh/authorized_keys && echo BREACH` },
  { name: "configure the user's git", command: () => `git config --global core.pager evil && echo BREACH` },
  {
    name: "put a program into the user's PATH",
    command: () => `mkdir -p ~/.local/bin && echo x > ~/.local/bin/ls && echo BREACH`,
  },
  {
    name: "change a setting of the kernel",
    command: () => `f=/proc/sys/kernel/core_pattern; v=$(cat $f); echo "$v" > $f && echo BREACH`,
    control: "root only",
  },
  {
    name: "write to the kernel's log",
    command: () => `echo '<7>dsh test' > /dev/kmsg && echo BREACH`,
    control: "root only",
  },
  {
    name: "open a disk for writing",
    command: () =>
      python(`
import glob, stat
for path in glob.glob("/dev/*"):
    try:
        if stat.S_ISBLK(os.stat(path).st_mode):
            os.close(os.open(path, os.O_WRONLY)); print("BREACH"); break
    except OSError: pass`),
    control: "depends on the kernel",
  },
];
