import { isAbsolute } from "@std/path/is-absolute";
import { AgentError } from "../errors.ts";

/**
 * Checks the further directories that a client makes part of a session's workspace; gives each once, in the
 * client's order and spelling.
 * @throws AgentError("invalid-params") that names the first one that is none.
 */
export async function checkRoots(roots: readonly string[]): Promise<string[]> {
  const unique = [...new Set(roots)];
  for (const root of unique) {
    if (!isAbsolute(root)) throw invalid(`must be absolute paths, but one is "${root}"`);
    const stat = await Deno.stat(root).catch(() => undefined);
    if (!stat) throw invalid(`name a directory that does not exist on this machine: ${root}`);
    if (!stat.isDirectory) throw invalid(`name something that is not a directory: ${root}`);
  }
  return unique;
}

function invalid(what: string): AgentError {
  return new AgentError("invalid-params", `\`additionalDirectories\` ${what}`);
}
