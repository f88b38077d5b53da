import { loadConfig } from "../config/load.ts";
import type { ExecCommand } from "./arguments.ts";
import { exec } from "./exec.ts";

/** `dsh-acp exec`: settings read, output to this process's own. Resolves with the exit code. */
export async function runExec(command: ExecCommand): Promise<number> {
  const config = await loadConfig(command.overrides);
  const encoder = new TextEncoder();
  return await exec({ config, preset: config.preset, ...command }, {
    stdout: (text) => writeAll(Deno.stdout, encoder.encode(text)),
    stderr: (text) => void Deno.stderr.writeSync(encoder.encode(text)),
  });
}

async function writeAll(
  out: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await out.write(bytes.subarray(at));
}
