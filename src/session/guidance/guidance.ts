import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { type GuidanceInput, placesOf, sharedDirectory } from "./guidance_places.ts";
import { type InstructionPlace, type Instructions, readInstructions } from "./instructions.ts";
import { readSkills, type Skill, type SkillPlace } from "./skills.ts";

/** What files of the user and of the workspace tell the model about how to work. */
export interface Guidance {
  /** In the order in which they are told: what stands nearer to the session's directory comes later. */
  readonly instructions: readonly Instructions[];
  readonly skills: readonly Skill[];
  /** What was left out and why, one line each. */
  readonly faults: readonly string[];
}

/**
 * Reads the user's own guidance, that of the further roots, and that of the directories from the repository's
 * root down to the session's. A file counts only if it really lies in its repository (the user's: anywhere) and
 * in no place of secrets. Never throws.
 */
export async function readGuidance(input: GuidanceInput): Promise<Guidance> {
  const { user, chain, roots } = await placesOf(input);
  // In order of weight, for the bounds: the user's own, then from the session's directory outwards.
  const byWeight = [user, ...chain.toReversed(), ...roots];
  const read = await readInstructions(byWeight);
  const skillPlaces = [
    { ...user, directory: join(user.directory, "skills") },
    ...await Promise.all(byWeight.slice(1).map(skillsOf)),
  ];
  const { skills, faults } = await readSkills(skillPlaces);
  const told = [user, ...roots, ...chain].map(({ directory }) => directory);
  const instructions = read.toSorted((a, b) => told.indexOf(dirname(a.path)) - told.indexOf(dirname(b.path)));
  return { instructions, skills, faults };
}

async function skillsOf({ directory, mayShow }: InstructionPlace): Promise<SkillPlace> {
  return { directory: await sharedDirectory(directory, "skills"), mayShow };
}
