import { AssertionError } from "@std/assert";

/** Fails unless `text` holds `part`; shows of a long text its two ends only. */
export function assertHas(text: string, part: string | RegExp): void {
  const found = typeof part === "string" ? text.includes(part) : part.test(text);
  if (!found) throw new AssertionError(`${excerpt(String(part))} is not in: ${excerpt(text)}`);
}

/** The text, or where it is long its beginning and its end. */
export function excerpt(text: string, length = 600): string {
  const shown = text.length <= length ? text : `${text.slice(0, length / 2)} …… ${text.slice(-length / 2)}`;
  return `${JSON.stringify(shown)} (${text.length} characters)`;
}
