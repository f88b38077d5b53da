import { type Attack, python } from "./attack.ts";

/** Against what may not be read. */
export const SECRETS: readonly Attack[] = [
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
  { name: "read a secret file in home", command: () => `cat ~/.netrc` },
  {
    name: "read it by another program",
    command: () => `dd if=$HOME/.ssh/id status=none; tar cf - -C ~ .ssh | tr -d '\\0'`,
  },
  { name: "read it as the shell's own", command: () => `echo "$(< ~/.ssh/id)"; exec 5< ~/.ssh/id; cat <&5` },
  { name: "run it", command: () => `source ~/.ssh/id 2>&1` },
  {
    name: "map it",
    command: () =>
      python(`
import mmap
with open(os.path.expanduser("~/.ssh/id"), "rb") as f: print(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:])`),
  },
  {
    name: "reopen it by a path descriptor",
    command: () =>
      python(`
fd = os.open(os.path.expanduser("~/.ssh/id"), os.O_PATH)
print(open(f"/proc/self/fd/{fd}").read())`),
  },
  {
    name: "reach it by a directory's descriptor",
    command: () =>
      python(`
fd = os.open(os.path.expanduser("~/.ssh"), os.O_RDONLY | os.O_DIRECTORY)
print(os.read(os.open("id", os.O_RDONLY, dir_fd=fd), 99))`),
  },
  { name: "let git read it", command: () => `git diff --no-index /dev/null ~/.ssh/id` },
  { name: "find and read all of it", command: () => `grep -rhs "^BREACH: a" ~` },
  {
    name: "rename a secret place away",
    command: (at) => `mv ~/.ssh ${at.workspace}/taken && cat taken/id; mv taken ~/.ssh`,
  },
  { name: "link a secret place in by a directory", command: (at) => `ln -s ${at.home} h; cat h/.ssh/id` },
  { name: "read the agent's configuration", command: (at) => `cat ${at.home}/.config/dsh-acp/config.jsonc` },
  { name: "read the keys that were typed in", command: (at) => `cat ${at.home}/.config/dsh-acp/keys.json` },
  {
    name: "print the environment",
    command: () => `env; export -p; declare -p; tr '\\0' '\\n' < /proc/self/environ`,
    control: "scrubbed always",
  },
  { name: "be run by the agent's BASH_ENV", command: () => `true`, control: "scrubbed always" },
  {
    name: "get functions from the environment",
    command: () => `exported_function`,
    control: "scrubbed always",
  },
];
