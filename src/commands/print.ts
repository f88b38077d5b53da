/** Writes a text to stdout, whole; a reader that has seen enough (`| head`) is no error. */
export function print(text: string): void {
  let bytes = new TextEncoder().encode(text + "\n");
  try {
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  } catch (e) {
    if (!(e instanceof Deno.errors.BrokenPipe)) throw e;
  }
}

/** A text of others without what would steer the terminal; line breaks and tabs stay. */
export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ESCAPES, "").replace(/[^\P{Cc}\n\t]/gu, "");
}

/** Sequences that begin with an escape: colours and moves, then titles and links. */
const ESCAPES = new RegExp("\\u001b(\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(\\u0007|\\u001b\\\\))", "g");
