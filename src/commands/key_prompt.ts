import { AgentError } from "../errors.ts";

/** Bytes of the longest line that is taken for a key. */
const MAX_BYTES = 4096;
const [CTRL_C, CTRL_D, BACKSPACE, CTRL_U, DELETE] = [3, 4, 8, 21, 127];
const ENTER = new Set([10, 13]);

/** Signals that end the program, with the codes that shells know their ends by. */
const ENDS = Deno.build.os === "windows"
  ? [["SIGINT", 130]] as const
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/**
 * Reads a line from the terminal without showing it, or, where stdin is none, its first line. A signal that comes
 * meanwhile ends the program, and the terminal shows again what is typed.
 */
export async function readSecret(question: string): Promise<string> {
  if (!Deno.stdin.isTerminal()) return await readLine();
  const show = () => {
    Deno.stdin.setRaw(false);
    say("\n");
  };
  const listeners = ENDS.map(([signal, code]) => {
    const end = () => {
      show();
      Deno.exit(code);
    };
    Deno.addSignalListener(signal, end);
    return () => Deno.removeSignalListener(signal, end);
  });
  Deno.stdin.setRaw(true);
  try {
    say(question);
    return await readLine();
  } finally {
    show();
    for (const remove of listeners) remove();
  }
}

/** @throws AgentError("usage") when the user gives up or the line has no end in sight. */
async function readLine(): Promise<string> {
  let line: number[] = [];
  const buffer = new Uint8Array(256);
  for (;;) {
    const n = await Deno.stdin.read(buffer);
    if (n === null) return textOf(line);
    for (const byte of buffer.subarray(0, n)) {
      if (ENTER.has(byte)) return textOf(line);
      if (byte === CTRL_C || byte === CTRL_D) throw new AgentError("usage", "No key was given.");
      if (byte === BACKSPACE || byte === DELETE) line.pop();
      else if (byte === CTRL_U) line = [];
      else line.push(byte);
    }
    if (line.length > MAX_BYTES) throw new AgentError("usage", "That is too long to be a key.");
  }
}

function textOf(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes)).trim();
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}
