/**
 * The packaged ripgrep. A name in a variable: Deno then fetches the package on the machine that needs it, not on
 * every start, and a compiled program does not carry a binary that it could not start.
 */
export const RIPGREP_PACKAGE = "npm:@vscode/ripgrep@1.18.0";

/** Milliseconds that the start of an executor waits for the package; one that comes later serves the next executor. */
const FETCH_MS = 3_000;
/** Milliseconds after which a package that could not be had is tried again. */
const RETRY_MS = 5 * 60_000;

/** Cause and mend, for the model and for people. */
export const NO_RIPGREP =
  "there is no ripgrep: install it (package ripgrep) so that rg is in PATH, then open a new session; until then search by bash (find, grep)";

const attempts = new Map<string, Promise<string | undefined>>();

/** The path of the packaged ripgrep for this machine; undefined where there is none or it does not come in time. */
export async function packagedRipgrep(module: string = RIPGREP_PACKAGE): Promise<string | undefined> {
  if (Deno.build.standalone) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), FETCH_MS);
  try {
    return await Promise.race([attempt(module), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One attempt at a time; where it fails, the next one is made a while later: each may take until its time is over. */
function attempt(module: string): Promise<string | undefined> {
  const known = attempts.get(module);
  if (known !== undefined) return known;
  const path = locate(module);
  attempts.set(module, path);
  void path.then((found) => {
    if (found === undefined) Deno.unrefTimer(setTimeout(() => attempts.delete(module), RETRY_MS));
  });
  return path;
}

async function locate(module: string): Promise<string | undefined> {
  try {
    const { rgPath } = await import(module) as { rgPath: string };
    return (await Deno.stat(rgPath)).isFile ? rgPath : undefined;
  } catch {
    return undefined;
  }
}
