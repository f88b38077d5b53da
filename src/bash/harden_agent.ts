import { messageOf } from "../errors.ts";
import { hideProcess } from "../sandbox/harden.ts";
import { openLibc } from "../sandbox/libc.ts";
import { findLibc } from "./discover.ts";

/** What became of {@linkcode hardenAgent}. */
export interface AgentHardening {
  /** True: other processes of the user cannot look into the agent, and it leaves no core dump. */
  readonly hidden: boolean;
  /** Why not, one line each. */
  readonly missing: readonly string[];
}

/**
 * Hides the agent, which holds the API key: its memory, environment and descriptors cannot be read any more by
 * other processes of the user (root apart), and a crash writes no core. Linux only; best effort. Never rejects.
 */
export async function hardenAgent(): Promise<AgentHardening> {
  if (Deno.build.os !== "linux") return { hidden: false, missing: [`not offered on ${Deno.build.os}`] };
  try {
    const libc = await findLibc();
    if (libc === undefined) return { hidden: false, missing: ["the C library was not found"] };
    hideProcess(openLibc(libc));
    return { hidden: true, missing: [] };
  } catch (thrown) {
    return { hidden: false, missing: [`the agent's memory could not be hidden: ${messageOf(thrown)}`] };
  }
}
