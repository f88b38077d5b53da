import { AgentError } from "../errors.ts";
import type { Tools } from "./launch.ts";
import { packagedRipgrep } from "./search/ripgrep.ts";

/** The program of that name in a `PATH`; only absolute directories are looked in. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(":").filter((d) => d.startsWith("/"))) {
    const candidate = `${directory.replace(/\/+$/, "")}/${name}`;
    const info = await Deno.stat(candidate).catch(() => undefined);
    if (info?.isFile && ((info.mode ?? 0o111) & 0o111) !== 0) return candidate;
  }
  return undefined;
}

/** There is no bash; another shell may stand in for it. */
export class NoBashError extends AgentError {}

/** Looked in after the user's `PATH`. */
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Finds what an executor needs of the machine. Throws a {@linkcode NoBashError} that says how to mend it when
 * there is no bash.
 */
export async function discoverTools(environment: Readonly<Record<string, string>>): Promise<Tools> {
  const path = [environment.PATH ?? "", SYSTEM_PATH].join(":");
  const onLinux = Deno.build.os === "linux";
  const [bash, setsid, rg, libc, bwrap, sandboxExec] = await Promise.all([
    findProgram("bash", path),
    findProgram("setsid", SYSTEM_PATH),
    findRipgrep(path),
    onLinux ? findLibc() : undefined,
    // The system's own first: it stands around all that is confined.
    onLinux ? findProgram("bwrap", [SYSTEM_PATH, environment.PATH ?? ""].join(":")) : undefined,
    Deno.build.os === "darwin" ? findProgram("sandbox-exec", "/usr/bin") : undefined,
  ]);
  if (bash === undefined) {
    throw new NoBashError("sandbox", `no bash in PATH (${environment.PATH ?? "unset"}); ${BASH_MEND}`);
  }
  return {
    bash,
    ...(setsid && { setsid }),
    ...(rg && { rg }),
    ...(libc && { libc }),
    ...(bwrap && { bwrap }),
    ...(sandboxExec && { sandboxExec }),
  };
}

/** The machine's own ripgrep, else the packaged one. */
async function findRipgrep(path: string): Promise<string | undefined> {
  return await findProgram("rg", path) ?? await packagedRipgrep();
}

const BASH_MEND = Deno.build.os === "linux"
  ? "install it with the system's package manager (Alpine: apk add bash)"
  : "install bash and put it in PATH";

/** The C library that this very process runs on: the same one serves the executor. */
export async function findLibc(): Promise<string | undefined> {
  const maps = await Deno.readTextFile("/proc/self/maps").catch(() => "");
  const mapped = maps.match(/\s(\/\S*\/(?:libc\.so\.6|libc-2\.\d+\.so|ld-musl-[\w-]+\.so\.1))$/m)?.[1];
  for (const candidate of mapped === undefined ? LIBC_PLACES : [mapped, ...LIBC_PLACES]) {
    if ((await Deno.stat(candidate).catch(() => undefined))?.isFile) return candidate;
  }
  return undefined;
}

/** Where distributions keep it, for a process that may not look at its own maps. */
const LIBC_PLACES: readonly string[] = [
  `/lib/${Deno.build.arch}-linux-gnu/libc.so.6`,
  "/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
  `/lib/ld-musl-${Deno.build.arch}.so.1`,
];
