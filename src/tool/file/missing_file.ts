import { dirname } from "@std/path/dirname";
import { type Executor, FileError } from "../../bash/executor_handle.ts";
import { ToolFault } from "../fault.ts";
import { alike, pairsOf } from "./likeness.ts";

/** Names that a hint gives. */
const MAX_NAMES = 3;
/** How alike a name must be to be meant. */
const ALIKE = 0.5;

/** Runs `read`; a file that it does not find is told with the names that may be meant. */
export async function withNearNames<T>(executor: Executor, path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (e) {
    if (!(e instanceof FileError) || e.fault !== "not-found") throw e;
    throw new ToolFault(`${path}: no such file.`, await advice(executor, path));
  }
}

async function advice(executor: Executor, path: string): Promise<string> {
  try {
    const { entries } = await executor.list(dirname(path));
    const wanted = path.slice(path.lastIndexOf("/") + 1);
    if (entries.some(({ name }) => name === wanted)) return "It is a link that leads nowhere.";
    const names = nearNames(wanted, entries.map(({ name }) => name));
    return names.length > 0 ? `Its directory has: ${names.join(", ")}.` : "Find its path with glob.";
  } catch {
    return "There is no such directory either. Find the path with glob.";
  }
}

/** The names that are most like the one that is not there. Pure. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const pairs = pairsOf(wanted);
  const likeness = (name: string) => alike(pairs, pairsOf(name));
  return names.filter((name) => !/\p{Cc}/u.test(name) && likeness(name) >= ALIKE)
    .toSorted((a, b) => likeness(b) - likeness(a)).slice(0, MAX_NAMES);
}
