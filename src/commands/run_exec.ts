import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { exec } from "./exec.ts";
import { readCommandLine, usage } from "./settings.ts";

/** The time that a command may take when nothing else is said, in milliseconds. */
const DEFAULT_TIMEOUT = "120000";

/** `dsh-acp exec`: one command through the executor, its output to this process's own. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, values, words } = await readCommandLine(args, {
    "cwd": { type: "string", default: "." },
    "timeout-ms": { type: "string", default: DEFAULT_TIMEOUT },
    "json": { type: "boolean", default: false },
  });
  if (words.length === 0) throw usage("exec needs a command: dsh-acp exec -- COMMAND");
  const timeoutMs = Number(values["timeout-ms"]);
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) {
    throw usage("--timeout-ms must be a whole number of at least 1.");
  }
  const config = await loadConfig(overrides);
  const encoder = new TextEncoder();
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => interrupted.abort());
  }
  return await exec({
    config,
    preset: config.preset,
    cwd: resolve(String(values.cwd)),
    timeoutMs,
    json: values.json === true,
    command: words.join(" "),
    signal: interrupted.signal,
  }, {
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
