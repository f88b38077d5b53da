import type { OuterLayer, Probe } from "./layer.ts";
import { isWithin } from "./paths.ts";

/** What one executor sees of the machine; all paths absolute and real. */
export interface BubblewrapProfile {
  /** The program bwrap. */
  readonly program: string;
  /** Directories that stay as writable as they are. */
  readonly writable: readonly string[];
  /** The session's private directory: it is `/tmp` as well. */
  readonly tempDir: string;
  /** What must be seen although it lies where the machine's own files are masked; read-only. */
  readonly exposed: readonly string[];
  /** Secret places among what is exposed: see {@linkcode Veil}. */
  readonly veiled: readonly Veil[];
  /** Writable places that become mount points of their own, so that they cannot be renamed away. */
  readonly pinned: readonly string[];
  /** Files and directories below the writable ones that become read-only. */
  readonly readOnly: readonly string[];
  /** True: the machine's own network. False: an empty one with a loopback of its own. */
  readonly network: boolean;
}

/**
 * A secret place whose contents are covered by a mount, since Landlock cannot keep them: what lies below `/tmp` is
 * below the session's own directory then, which may be read.
 */
export interface Veil {
  readonly path: string;
  /** Names that stay visible in a directory, as files that cannot be read; undefined for a file. */
  readonly names?: readonly string[];
}

/** Where the machine's own files cannot be seen from inside. */
const MASKED = ["/tmp", "/run", "/dev", "/proc"];

/** Where `/dev/shm` lies on the machine: on disk, so that it counts like other temporary files. */
export function sharedMemoryOf(tempDir: string): string {
  return `${tempDir}/.shm`;
}

/** A file of the session's that nobody may read; it lies over what is veiled. */
export function blankOf(tempDir: string): string {
  return `${tempDir}/.blank`;
}

/** True for a path that is only seen inside when it is exposed. */
export function isMasked(path: string): boolean {
  return MASKED.some((place) => isWithin(path, place));
}

/** bubblewrap: own user, process, IPC, host name, control group and network namespaces, and a read-only root. */
export const bubblewrap: OuterLayer<BubblewrapProfile> = {
  name: "bubblewrap",
  wrap: (profile, argv) => [profile.program, ...bubblewrapArgs(profile), "--", ...argv],
  async probe(profile): Promise<Probe> {
    const [program, ...args] = bubblewrap.wrap(profile, ["/bin/sh", "-c", ":"]);
    try {
      const { success, stderr } = await new Deno.Command(program!, {
        ...{ args, cwd: "/", clearEnv: true, stdin: "null", stdout: "null", stderr: "piped" },
      }).output();
      return success
        ? { there: true }
        : { there: false, missing: failedLine(new TextDecoder().decode(stderr)) };
    } catch (thrown) {
      return { there: false, missing: failedLine(thrown instanceof Error ? thrown.message : String(thrown)) };
    }
  },
};

/** What the user is told when there is no bwrap. */
export const NO_BUBBLEWRAP =
  "bubblewrap is not installed: install it (package bubblewrap) for read-only protected paths, " +
  "own processes and a loopback network";

/** What the user is told when bwrap does not do its work; `cause` is what it said. */
export function failedLine(cause: string): string {
  const said = cause.trim().replaceAll(/\s+/g, " ").slice(0, 300) || "no reason given";
  const mend = /namespace|uid map|permitted|denied|No space/i.test(said)
    ? "allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, " +
      "or a container that permits them)"
    : "see whether bwrap runs here by hand";
  return `bubblewrap does not work here (${said}): ${mend}`;
}

/**
 * The profile as arguments. Later mounts cover earlier ones, so they go from the outside to the inside. Nothing is
 * mounted over a path that does not exist in a writable place: bwrap would make it there.
 */
export function bubblewrapArgs(profile: BubblewrapProfile): string[] {
  const bind = (flag: string, paths: readonly string[]) =>
    inward(paths).flatMap((path) => [flag, path, path]);
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(profile.network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    ...["--bind", profile.tempDir, "/tmp"],
    ...["--bind", sharedMemoryOf(profile.tempDir), "/dev/shm"],
    ...bind("--ro-bind-try", profile.exposed.filter(isMasked)),
    ...profile.veiled.flatMap((veil) => veilArgs(veil, blankOf(profile.tempDir))),
    ...bind("--bind-try", profile.writable),
    ...bind("--bind-try", profile.pinned),
    ...bind("--ro-bind-try", profile.readOnly),
    ...profile.veiled.flatMap(({ path, names }) => names === undefined ? [] : ["--remount-ro", path]),
    ...["--chdir", "/"],
  ];
}

function veilArgs({ path, names }: Veil, blank: string): string[] {
  if (names === undefined) return ["--ro-bind", blank, path];
  return ["--tmpfs", path, ...names.flatMap((name) => ["--ro-bind", blank, `${path}/${name}`])];
}

/** Outer places first. */
function inward(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
