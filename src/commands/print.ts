import { withoutAnsi } from "../tool/ansi.ts";

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
  return withoutAnsi(text).replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "");
}
