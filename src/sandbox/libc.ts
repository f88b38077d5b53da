import { type Arch, type SyscallName, syscallNumber } from "./syscalls.ts";

/** A system call that the kernel refused. */
export class SyscallError extends Error {
  override readonly name = "SyscallError";
  readonly errno: number;
  constructor(what: string, errno: number) {
    super(`${what}: ${ERRNO_NAMES[errno] ?? "errno"} (${errno})`);
    this.errno = errno;
  }
}

/** An argument of a system call: a number, or memory whose address is passed. */
export type SyscallArgument = number | bigint | Uint8Array<ArrayBuffer>;

/** Linux system calls from TypeScript, with nothing granted but `--allow-ffi=<the C library>`. */
export interface Libc {
  readonly arch: Arch;
  /** The result, or minus errno. */
  try(name: SyscallName, ...args: SyscallArgument[]): number;
  /** The result; throws {@linkcode SyscallError} when there is none. `what` names the call for people. */
  must(what: string, name: SyscallName, ...args: SyscallArgument[]): number;
  /** The address of memory that {@linkcode alloc} gave and that from now on lives as long as the process. */
  pin(memory: Uint8Array<ArrayBuffer>): bigint;
}

export const EPERM = 1;
export const ENOENT = 2;
export const ESRCH = 3;
export const EACCES = 13;
export const EINVAL = 22;
export const ENOSYS = 38;
export const EOPNOTSUPP = 95;

const ERRNO_NAMES: Readonly<Record<number, string>> = {
  [EPERM]: "not permitted",
  [ENOENT]: "no such file",
  [ESRCH]: "no such process",
  [EACCES]: "access denied",
  [EINVAL]: "invalid argument",
  [ENOSYS]: "not offered by this kernel",
  [EOPNOTSUPP]: "switched off in this kernel",
};

/** Zeroed memory that the garbage collector does not move: small arrays without a buffer live on its heap. */
export function alloc(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes));
}

/** A string as C has it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(text);
  const memory = alloc(encoded.length + 1);
  memory.set(encoded);
  return memory;
}

/**
 * Opens the C library at an absolute path (glibc or musl). Only Linux on x86_64 and aarch64; throws elsewhere
 * and when the library cannot be loaded.
 *
 * `Deno.UnsafePointer` wants an unscoped `--allow-ffi`, so addresses come from `memmove(p, p, 0)`, which
 * returns `p`, and errno is read by moving four bytes from where libc keeps it.
 */
export function openLibc(path: string): Libc {
  const arch = Deno.build.arch;
  if (Deno.build.os !== "linux" || (arch !== "x86_64" && arch !== "aarch64")) {
    throw new Error(`no system call table for ${Deno.build.os} on ${arch}`);
  }
  const { symbols } = Deno.dlopen(path, {
    syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
    addressOf: { name: "memmove", parameters: ["buffer", "buffer", "usize"], result: "usize" },
    copyFrom: { name: "memmove", parameters: ["buffer", "usize", "usize"], result: "usize" },
    errnoLocation: { name: "__errno_location", parameters: [], result: "usize" },
  });
  const errnoCell = alloc(4);
  const errnoView = new DataView(errnoCell.buffer);
  const address = (memory: Uint8Array<ArrayBuffer>) => BigInt(symbols.addressOf(memory, memory, 0n));
  /** The last call's arguments: their memory must outlive the call, whatever the optimizer thinks. */
  let held: readonly SyscallArgument[] = [];
  const attempt = (name: SyscallName, ...args: SyscallArgument[]): number => {
    held = args;
    const words = held.map((a) => a instanceof Uint8Array ? address(a) : BigInt(a));
    const word = (i: number) => words[i] ?? 0n;
    const nr = BigInt(syscallNumber(name, arch));
    const result = Number(symbols.syscall(nr, word(0), word(1), word(2), word(3), word(4)));
    if (result !== -1) return result;
    symbols.copyFrom(errnoCell, symbols.errnoLocation(), 4n);
    return -(errnoView.getInt32(0, true) || EINVAL);
  };
  const pinned: Uint8Array<ArrayBuffer>[] = [];
  return {
    arch,
    pin(memory) {
      pinned.push(memory);
      return address(memory);
    },
    try: attempt,
    must(what, name, ...args) {
      const result = attempt(name, ...args);
      if (result < 0) throw new SyscallError(what, -result);
      return result;
    },
  };
}
