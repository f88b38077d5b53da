/** Where the attacks of the tables are aimed. */
export interface Targets {
  readonly home: string;
  readonly workspace: string;
  readonly outside: string;
  readonly stateDir: string;
  readonly tcpPort: number;
  readonly tcp6Port: number;
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
  /**
   * Why the same attack fails without confinement too, if it does: for whom, for what reason, or because the env
   * scrub holds in every preset.
   */
  readonly control?: "root only" | "depends on the kernel" | "scrubbed always";
  /** Inside bubblewrap it may seem to succeed: it reaches nothing but the namespace's own. */
  readonly harmlessInside?: true;
  /** Landlock has no rule against it: only bubblewrap stops it. */
  readonly landlockGap?: true;
}

/** A command that runs Python with what most attacks want. */
export function python(code: string): string {
  return `python3 - <<'PYTHON'\nimport ctypes, os, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n${code}\nPYTHON`;
}

/** Python that calls the kernel and tells a breach when it did not refuse. */
export function syscall(...args: (number | string)[]): string {
  return python(`print(["stopped", "BREACH"][libc.syscall(${args.join(", ")}) >= 0])`);
}
