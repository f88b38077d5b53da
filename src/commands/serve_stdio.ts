import { ndJsonStream } from "@agentclientprotocol/sdk";
import { serve } from "../acp/serve.ts";
import type { Overrides } from "../config/load.ts";

/** Exit codes by the shell's convention: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
/** Milliseconds after a signal in which all must be closed; then the process ends regardless. */
const PATIENCE = 2000;

/** Serves ACP on stdin and stdout; resolves with the exit code when the client has gone or a signal came. */
export async function serveStdio(overrides: Overrides): Promise<number> {
  if (Deno.stdin.isTerminal()) {
    Deno.stderr.writeSync(new TextEncoder().encode(
      "dsh-acp speaks the Agent Client Protocol on stdin and is meant to be started by an editor; try dsh-acp --help or dsh-acp demo.\n",
    ));
  }
  const stop = new AbortController();
  let code = 0;
  for (const [signal, exit] of Object.entries(SIGNALS)) {
    Deno.addSignalListener(signal as keyof typeof SIGNALS, () => {
      code = exit;
      stop.abort();
      Deno.unrefTimer(setTimeout(() => Deno.exit(exit), PATIENCE));
    });
  }
  // A broken pipe somewhere deep must not end the process before its sessions are closed.
  addEventListener("unhandledrejection", (event) => event.preventDefault());
  await serve(ndJsonStream(Deno.stdout.writable, Deno.stdin.readable), { ...overrides, signal: stop.signal });
  return code;
}
