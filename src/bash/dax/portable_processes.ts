import type { Processes } from "../processes.ts";

/**
 * Processes where there are no system calls to be made (macOS), by the shell's own `kill`: Deno's wants a wider
 * permission than an executor has. Orphans cannot be found there; what holds is the process group. UNTESTED on
 * macOS itself.
 */
export function portableProcesses(bash: string): Processes {
  const kill = (target: number, signal: number): boolean => {
    const args = ["-c", 'kill -s "$1" -- "$2" 2>/dev/null', "kill", `${signal}`, `${target}`];
    return new Deno.Command(bash, { args, clearEnv: true, stdin: "null", stdout: "null", stderr: "null" })
      .outputSync().success;
  };
  return {
    signalGroup: (group, signal) => kill(-group, signal),
    signal: kill,
    orphans: () => [],
    markerOf: () => undefined,
  };
}
