import { ModelError, type ModelPart } from "./model.ts";
import { PassingError } from "./provider_error.ts";
import type { Sleep } from "./wait.ts";

/** Milliseconds from the first failure after which no further try begins. */
export const RETRY_BUDGET_MS = 30_000;

/** First wait and longest wait between two tries, in milliseconds; each try doubles it. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** Where time and chance come from; tests bring their own. */
export interface RetryClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to 1, as `Math.random`. */
  random(): number;
  sleep: Sleep;
}

/**
 * Runs `attempt` until one gets an answer. Only a {@linkcode PassingError} before the first part is tried
 * again, with a `retry` part yielded before each wait. Ends with the last error once the budget is used up,
 * or at once if the server asks for a longer wait than is left.
 */
export async function* withRetry(
  attempt: () => AsyncIterable<ModelPart>,
  signal: AbortSignal,
  clock: RetryClock,
): AsyncGenerator<ModelPart> {
  let deadline: number | undefined;
  for (let tries = 1;; tries++) {
    let begun = false;
    try {
      for await (const part of attempt()) {
        begun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (begun || !(error instanceof PassingError)) throw error;
      deadline ??= clock.now() + RETRY_BUDGET_MS;
      const waitMs = waitBefore(tries, error.retryAfterMs, clock);
      const left = deadline - clock.now();
      if (waitMs > left) throw givenUp(error, tries, left);
      yield { type: "retry", attempt: tries, waitMs, reason: error.message };
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Half of the doubled wait is certain and half is chance, so that many clients do not come back at once. */
function waitBefore(tries: number, retryAfterMs: number | undefined, clock: RetryClock): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  const own = Math.round(longest / 2 + clock.random() * longest / 2);
  return Math.max(own, retryAfterMs ?? 0);
}

function givenUp(error: PassingError, tries: number, leftMs: number): ModelError {
  const asked = error.retryAfterMs ?? 0;
  const why = asked > leftMs
    ? `it asks to wait ${Math.ceil(asked / 1000)} s, longer than a retry may take`
    : `tried ${tries} times`;
  return new ModelError("unavailable", `${error.message} (${why})`, { status: error.status });
}

/**
 * Milliseconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
 * Undefined where it asks nothing that can be read.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? NaN);
  if (ms >= 0) return ms;
  const text = headers.get("retry-after")?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
