/** Milliseconds that a test waits for what has to happen. Generous: a loaded machine must not fail a test. */
export const PATIENCE: number = Number(Deno.env.get("TEST_PATIENCE_MS") ?? 20_000);

/** Waits until `condition` holds, looking again every few milliseconds; throws naming `what` if it never does. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeout: number = PATIENCE,
): Promise<void> {
  const end = performance.now() + timeout;
  while (!await condition()) {
    if (performance.now() > end) throw new Error(`waited ${timeout} ms in vain: ${what}`);
    await pause(15);
  }
}

/** Settles like `promise`, or throws naming `what` once the time is over. */
export async function within<T>(what: string, promise: Promise<T>, timeout: number = PATIENCE): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`waited ${timeout} ms in vain: ${what}`)),
    timeout,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets `ms` milliseconds pass: only for showing that something does not happen. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
