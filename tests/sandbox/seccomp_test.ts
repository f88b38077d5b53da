import { assertEquals } from "@std/assert";
import { type Instruction, seccompProgram } from "../../src/sandbox/seccomp.ts";
import { type SyscallName, syscallNumber } from "../../src/sandbox/syscalls.ts";

type KnownArch = "x86_64" | "aarch64";
const AUDIT = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };
const ALLOW = "allow";
const EPERM = "errno 1";
const EACCES = "errno 13";
const ENOSYS = "errno 38";

/** What the kernel would do: an interpreter of the few instructions that a filter uses. */
function judge(program: readonly Instruction[], data: { nr: number; arch: number; args?: number[] }): string {
  const load = (offset: number) =>
    offset === 0 ? data.nr : offset === 4 ? data.arch : data.args?.[(offset - 16) / 8] ?? 0;
  let accumulator = 0;
  for (let at = 0; at < program.length; at++) {
    const [code, ifTrue, ifFalse, k] = program[at]!;
    if (code === 0x20) accumulator = load(k) >>> 0;
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x06) return verdict(k);
    else {
      const holds = code === 0x15
        ? accumulator === k
        : code === 0x35
        ? accumulator >= k
        : (accumulator & k) !== 0;
      at += holds ? ifTrue : ifFalse;
    }
  }
  return "fell off the end";
}

function verdict(k: number): string {
  if (k >>> 0 === 0x7fff0000) return ALLOW;
  return k >>> 0 === 0x80000000 ? "kill" : `errno ${k & 0xffff}`;
}

const CASES: [call: SyscallName, args: number[], offline: string, online?: string][] = [
  ["socket", [1, 1], EACCES, EACCES], // AF_UNIX
  ["socket", [2, 1], EACCES, ALLOW], // AF_INET
  ["socket", [10, 2], EACCES, ALLOW], // AF_INET6
  ["socket", [16, 3], EACCES, ALLOW], // AF_NETLINK
  ["socket", [17, 3], EACCES, EACCES], // AF_PACKET
  ["socket", [40, 1], EACCES, EACCES], // AF_VSOCK
  ["socketpair", [1, 1], ALLOW],
  ["socketpair", [1, 1 | 0o4000 | 0o2000000], ALLOW], // nonblocking, close-on-exec
  ["socketpair", [1, 5], ALLOW],
  ["socketpair", [1, 2], EACCES],
  ["socketpair", [1, 3], EACCES],
  ["socketpair", [1, 2 | 0o4000], EACCES],
  ["socketpair", [2, 1], EACCES],
  ["connect", [], EPERM, ALLOW],
  ["ioctl", [0, 0x5401], ALLOW],
  ["ioctl", [0, 0x5412], EPERM], // TIOCSTI
  ["ioctl", [0, 0x541c], EPERM], // TIOCLINUX
  ["clone", [0x01200011], ALLOW], // what fork() asks for
  ["clone", [0x10000000], EPERM], // CLONE_NEWUSER
  ["clone", [0x00020000], EPERM], // CLONE_NEWNS
  ["clone3", [], ENOSYS],
  ["prlimit64", [0], ALLOW],
  ["prlimit64", [1234], EPERM],
  ["ptrace", [], EPERM],
  ["process_vm_readv", [], EPERM],
  ["pidfd_getfd", [], EPERM],
  ["io_uring_setup", [], EPERM],
  ["keyctl", [], EPERM],
  ["bpf", [], EPERM],
  ["userfaultfd", [], EPERM],
  ["mount", [], EPERM],
  ["unshare", [], EPERM],
  ["open_by_handle_at", [], EPERM],
  ["read", [], ALLOW],
  ["openat", [], ALLOW],
  ["execve", [], ALLOW],
  ["seccomp", [], ALLOW], // programs may confine themselves further
  ["landlock_restrict_self", [], ALLOW],
];

for (const arch of ["x86_64", "aarch64"] as const satisfies readonly KnownArch[]) {
  Deno.test(`the seccomp filter on ${arch}`, async (t) => {
    const [offline, online] = [seccompProgram(false, arch), seccompProgram(true, arch)];
    for (const [call, args, expected, expectedOnline = expected] of CASES) {
      await t.step(`${call}(${args.map((a) => "0x" + a.toString(16)).join(", ")})`, () => {
        const data = { nr: syscallNumber(call, arch), arch: AUDIT[arch], args };
        assertEquals([judge(offline, data), judge(online, data)], [expected, expectedOnline]);
      });
    }
    await t.step("another architecture's calls kill", () => {
      const other = arch === "x86_64" ? "aarch64" : "x86_64";
      assertEquals(judge(offline, { nr: 0, arch: AUDIT[other] }), "kill");
      assertEquals(judge(offline, { nr: 0, arch: 0x40000003 }), "kill"); // i386
    });
  });
}

Deno.test("the x32 numbers of x86_64 are none", () => {
  const nr = 0x40000000 + syscallNumber("socket", "x86_64");
  assertEquals(judge(seccompProgram(false, "x86_64"), { nr, arch: AUDIT.x86_64 }), ENOSYS);
});
