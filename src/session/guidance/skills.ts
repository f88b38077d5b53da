import { join } from "@std/path/join";
import { oneLine, readFrontMatter } from "./front_matter.ts";
import { type MayShow, readPlainFile } from "./plain_file.ts";

/** A directory of skills: each is a directory with a `SKILL.md`. */
export interface SkillPlace {
  readonly directory: string;
  readonly mayShow: MayShow;
}

/** A guide to one kind of task, which the model reads when it needs it. */
export interface Skill {
  readonly name: string;
  /** One line that tells what it is for. */
  readonly description: string;
  /** Absolute path of its `SKILL.md`. */
  readonly path: string;
}

/** What was found of skills. */
export interface SkillsFound {
  readonly skills: readonly Skill[];
  /** Why some were left out, one line each. */
  readonly faults: readonly string[];
}

const MAX_SKILLS = 32;
/** Entries of one directory that are looked at. */
const MAX_ENTRIES = 200;
/** Bytes of a file in which its front matter must end. */
const MAX_BYTES = 8 * 1024;
const MAX_DESCRIPTION = 300;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Reads the front matter of all skills, given in order of weight: of two with the same name the first one
 * counts. Never throws.
 */
export async function readSkills(places: readonly SkillPlace[]): Promise<SkillsFound> {
  const skills = new Map<string, Skill>();
  const faults: string[] = [];
  for (const place of places) {
    for (const name of await entriesOf(place.directory)) {
      const path = join(place.directory, name, "SKILL.md");
      const file = await readPlainFile(path, place.mayShow, MAX_BYTES);
      if (!file) continue;
      const read = await readHead(file.text, name);
      if ("fault" in read) faults.push(`${path}: ${read.fault}`);
      else if (skills.has(read.name)) continue;
      else if (skills.size < MAX_SKILLS) skills.set(read.name, { ...read, path });
      else faults.push(`${path}: there are more than ${MAX_SKILLS} skills`);
    }
  }
  return { skills: [...skills.values()], faults };
}

async function entriesOf(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(directory)) {
      if (entry.isDirectory || entry.isSymlink) names.push(entry.name);
      if (names.length >= MAX_ENTRIES) break;
    }
  } catch {
    // There is no such directory: then there are no skills in it.
  }
  return names.sort();
}

type Head = { readonly name: string; readonly description: string };

async function readHead(text: string, directory: string): Promise<Head | { readonly fault: string }> {
  const head = await readFrontMatter(text);
  if (head === undefined) return { fault: "it has no front matter (--- name, description ---)" };
  if ("fault" in head) return head;
  const { name = directory, description } = head.fields;
  if (typeof name !== "string" || !NAME.test(name)) {
    return { fault: "its name may hold only letters, digits and . _ -" };
  }
  if (typeof description !== "string" || description.trim() === "") return { fault: "it has no description" };
  return { name, description: oneLine(description, MAX_DESCRIPTION) };
}
