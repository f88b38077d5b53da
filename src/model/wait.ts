/** The error that every wait of this room ends with once its signal is aborted. */
export function abortError(): DOMException {
  return new DOMException("The request to the model was cancelled.", "AbortError");
}

/** Waits `ms` milliseconds. Rejects with an `AbortError` at once when `signal` aborts; leaves no timer. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** {@linkcode Sleep} on the real clock. */
export const sleep: Sleep = async (ms, signal) => {
  if (signal.aborted) throw abortError();
  if (ms <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await abortable(promise, signal);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * `promise`, or an `AbortError` as soon as `signal` aborts, whichever is first. A later rejection of
 * `promise` is swallowed: whoever waits has gone.
 */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {});
  if (signal.aborted) throw abortError();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(abortError());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
