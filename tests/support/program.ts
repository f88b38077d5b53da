import { programCommand, ROOT } from "./agent.ts";
import { isAlive, processesMarked } from "./process_tree.ts";
import type { Stage, StartOptions } from "./stage.ts";
import { eventually } from "./waiting.ts";

/** What a run of the program left behind for its caller to read. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program with arguments, on a stage's home and state, to its end; no process of it may be left then. `input` is
 * what it can read from stdin.
 */
export async function runProgram(
  stage: Stage,
  args: string[],
  env: StartOptions["env"] = {},
  input?: string,
): Promise<Ended> {
  const before = new Set(processesMarked(`HOME=${stage.home}`).map((p) => p.pid));
  const [program, ...rest] = programCommand(...args);
  const child = new Deno.Command(program!, {
    args: rest,
    cwd: ROOT,
    env: stage.environment(env),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // A program that does not read, and has ended, is no fault of what was to be read.
  await new Blob([input ?? ""]).stream().pipeTo(child.stdin).catch(() => {});
  const output = await child.output();
  const left = () =>
    processesMarked(`HOME=${stage.home}`).filter((p) => isAlive(p.pid) && !before.has(p.pid));
  await eventually(`no process is left of ${args.join(" ")}`, () => left().length === 0);
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: output.code, stdout: decode(output.stdout), stderr: decode(output.stderr) };
}
