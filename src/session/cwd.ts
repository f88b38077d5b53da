import { isAbsolute } from "@std/path/is-absolute";
import { AgentError } from "../errors.ts";

/**
 * Checks the directory that a client wants a session to work in.
 * @throws AgentError("invalid-params") that says what is wrong with it.
 */
export async function checkCwd(cwd: string): Promise<void> {
  if (!isAbsolute(cwd)) throw invalid(`\`cwd\` must be an absolute path, but is "${cwd}".`);
  const stat = await Deno.stat(cwd).catch(() => undefined);
  if (!stat) throw invalid(`\`cwd\` does not exist on this machine: ${cwd}`);
  if (!stat.isDirectory) throw invalid(`\`cwd\` is not a directory: ${cwd}`);
}

/**
 * The directory of a stored session that is loaded with `requested`: the stored one where both are the same
 * place; the requested one where the stored one is gone.
 * @throws AgentError("invalid-params") where they are two existing places, naming both.
 */
export async function reconcileCwd(stored: string, requested: string): Promise<string> {
  if (!isAbsolute(stored)) {
    throw invalid(`The stored session has no absolute working directory ("${stored}") and cannot be loaded.`);
  }
  await checkCwd(requested);
  const real = await Deno.realPath(stored).catch(() => undefined);
  if (real === undefined || !(await isDirectory(real))) return requested;
  if (real === await Deno.realPath(requested)) return stored;
  throw invalid(`The session belongs to ${stored}, not to ${requested}: load it with \`cwd\` ${stored}.`);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory ?? false;
}

function invalid(message: string): AgentError {
  return new AgentError("invalid-params", message);
}
