import { ndJsonStream } from "@agentclientprotocol/sdk";
import { serve } from "../acp/serve.ts";
import { readCommandLine, usage } from "./settings.ts";

/** Exit codes by the shell's convention: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
/** Milliseconds after a signal in which all must be closed; then the process ends regardless. */
const PATIENCE = 2000;

/** Serves ACP on stdin and stdout; resolves with the exit code when the client has gone or a signal came. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, words } = await readCommandLine(args);
  if (words.length > 0) throw usage(`There is no command "${words[0]}".`);
  if (Deno.stdin.isTerminal()) greet();
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
  await serve(ndJsonStream(Deno.stdout.writable, Deno.stdin.readable), {
    ...overrides,
    signal: stop.signal,
    initialized: () => void hide(),
  });
  return code;
}

/** For whoever starts it by hand and wonders. */
function greet(): void {
  const text =
    "dsh-acp speaks the Agent Client Protocol on stdin and is started by an editor; try --help or demo.\n";
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}

/** Other processes of the user may not look into this one: it holds the key. */
async function hide(): Promise<void> {
  const { hardenAgent } = await import("../bash/harden_agent.ts");
  await hardenAgent();
}
