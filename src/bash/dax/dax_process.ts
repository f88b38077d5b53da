import { AgentError } from "../../errors.ts";
import { scrubEnv } from "../../sandbox/env.ts";
import { randomTag } from "../../sandbox/harden.ts";
import { denoDirOf } from "../../sandbox/own_places.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { Channel } from "../channel.ts";
import type { ExecutorOptions } from "../executor_options.ts";
import { killRemains } from "../remains.ts";
import { Requests } from "../requests.ts";

/** Milliseconds that a process has to become ready. */
const READY_MS = 30_000;
/** Places of a workspace that nothing here may write: what is in them is run later. */
const PROTECTED = [".git", ".gitmodules", ".vscode", ".idea", ".mcp.json", ".envrc"];

/** One process with dax's shell, and what may be asked of it. */
export interface DaxProcess {
  readonly requests: Requests;
  /** Ends it with all that it started. Never rejects. */
  close(): Promise<void>;
}

/** Starts a process that may start `programs` (absolute paths; on Windows names) and nothing else. Rejects with AgentError("sandbox"). */
export async function startDaxProcess(
  options: ExecutorOptions,
  programs: readonly string[],
): Promise<DaxProcess> {
  const { policy, environment, envPass, home, log } = options;
  await Deno.mkdir(`${policy.tempDir}/cache`, { recursive: true, mode: 0o700 });
  const tag = randomTag();
  const requests = new Requests(policy, tag, log);
  const env = {
    DENO_DIR: denoDirOf(environment, home),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    ...(Deno.build.os === "windows" ? windowsOwn(environment) : {}),
  };
  const channel = new Channel(argv(options, programs), env, (message) => requests.take(message));
  requests.attach(channel);
  const { tempDir, confined } = policy;
  const scrubbed = scrubEnv(environment, { pass: envPass, tempDir, confined, bash: "" });
  void channel.send({ op: "init", env: scrubbed, marker: requests.marker });
  await requests.ready(READY_MS);
  return {
    requests,
    close: async () => {
      requests.shut();
      await channel.close();
      await requests.gone;
      await killRemains({ marker: requests.marker, tag });
    },
  };
}

function argv({ policy }: ExecutorOptions, programs: readonly string[]): string[] {
  return [
    Deno.execPath(),
    "run",
    ...["--quiet", "--no-prompt", "--no-check", "--cached-only", "--allow-env", "--allow-sys"],
    "--allow-read",
    ...(policy.confined ? confinedFlags(policy) : ["--allow-write"]),
    ...(programs.length > 0 ? [flag("--allow-run", programs)] : []),
    import.meta.resolve("./dax_executor.ts"),
    JSON.stringify(policy),
  ];
}

function confinedFlags({ writable, secret, tempDir }: Policy): string[] {
  const roots = writable.filter((root) => root !== tempDir);
  const denied = roots.flatMap((root) => PROTECTED.map((name) => `${root}/${name}`));
  const hidden = secret.filter((place) => !writable.some((root) => `${root}/`.startsWith(`${place}/`)));
  return [
    flag("--allow-write", writable),
    ...(denied.length > 0 ? [flag("--deny-write", denied)] : []),
    ...(hidden.length > 0 ? [flag("--deny-read", hidden)] : []),
  ];
}

/** Deno splits a flag's paths at commas. */
function flag(name: string, paths: readonly string[]): string {
  const comma = paths.find((path) => path.includes(","));
  if (comma === undefined) return `${name}=${paths.join(",")}`;
  throw new AgentError(
    "sandbox",
    `${comma} has a comma in its path, which Deno's ${name} cannot say; rename it`,
  );
}

/** What Windows needs to start anything, and to find the programs of `--allow-run` by their names. */
function windowsOwn(environment: Readonly<Record<string, string>>): Record<string, string> {
  const names = ["PATH", "PATHEXT", "SYSTEMROOT"];
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => names.includes(name.toUpperCase())),
  );
}
