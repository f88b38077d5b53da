import { join } from "@std/path/join";
import { type MayShow, readPlainFile } from "./plain_file.ts";

/** A directory whose instructions are read. */
export interface InstructionPlace {
  readonly directory: string;
  /** `user`: the user's own configuration. */
  readonly from: "user" | "workspace";
  readonly mayShow: MayShow;
}

/** One file of instructions for agents. */
export interface Instructions {
  /** Absolute. */
  readonly path: string;
  readonly from: InstructionPlace["from"];
  readonly text: string;
  /** Bytes that were left out at the end. */
  readonly cut: number;
}

/** The first of these that a directory has is its file. */
export const INSTRUCTION_NAMES: readonly string[] = ["AGENTS.md", "CLAUDE.md"];
/** Bytes of one file, and of all: more would crowd out the conversation. */
const MAX_BYTES = 32 * 1024;
const MAX_TOTAL = 64 * 1024;

/**
 * Reads the instructions of each place, given in order of weight: where there are more than fit, the last ones
 * are cut. A file that two places lead to counts once. Never throws.
 */
export async function readInstructions(places: readonly InstructionPlace[]): Promise<Instructions[]> {
  const found: Instructions[] = [];
  const seen = new Set<string>();
  let left = MAX_TOTAL;
  for (const place of places) {
    for (const name of INSTRUCTION_NAMES) {
      const path = join(place.directory, name);
      const file = await readPlainFile(path, place.mayShow, Math.min(MAX_BYTES, left));
      if (!file || (file.text.trim() === "" && file.cut === 0)) continue;
      if (!seen.has(file.real)) {
        found.push({ path, from: place.from, text: file.text.trim(), cut: file.cut });
        left -= Math.min(left, new TextEncoder().encode(file.text).length);
      }
      seen.add(file.real);
      break;
    }
  }
  return found;
}
