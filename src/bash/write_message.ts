import type { FromExecutor } from "./wire.ts";

let written: Promise<void> = Promise.resolve();

/** Writes one message to the agent, after all before it. Rejects when the agent is gone. */
export function writeMessage(message: FromExecutor): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(message) + "\n");
  return written = written.then(async () => {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  });
}
