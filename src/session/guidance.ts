import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Config } from "../config/config.ts";
import { mayRead } from "../sandbox/access.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import { isWithin, realPathOrSelf } from "../sandbox/paths.ts";
import { type Policy, policyFor } from "../sandbox/policy.ts";
import {
  INSTRUCTION_NAMES,
  type InstructionPlace,
  type Instructions,
  readInstructions,
} from "./instructions.ts";
import type { MayShow } from "./plain_file.ts";
import { directoriesDownTo } from "./repository.ts";
import { readSkills, type Skill, type SkillPlace } from "./skills.ts";

/** What files of the user and of the workspace tell the model about how to work. */
export interface Guidance {
  /** In the order in which they are told: what stands nearer to the session's directory comes later. */
  readonly instructions: readonly Instructions[];
  readonly skills: readonly Skill[];
  /** What was left out and why, one line each. */
  readonly faults: readonly string[];
}

/** Where guidance is looked for. */
export interface GuidanceInput {
  readonly config: Pick<Config, "home" | "stateDir" | "environment" | "configFile" | "keysFile">;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly tempDir: string;
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

interface GuidancePlaces {
  readonly user: InstructionPlace;
  readonly chain: readonly InstructionPlace[];
  readonly roots: readonly InstructionPlace[];
}

async function placesOf({ config, cwd, roots, tempDir }: GuidanceInput): Promise<GuidancePlaces> {
  const { home, stateDir, configFile } = config;
  // What a command could not read is not shown to the model by way of a link either.
  const own = ownPlacesOf(config);
  const policyOf = () => policyFor({ preset: "read-only", cwd, home, stateDir, tempDir, ...own }).policy;
  let policy: Policy | undefined; // it looks at many places: only where there is a file at all
  const isOpen: MayShow = (real) => mayRead(policy ??= policyOf(), real);
  const below = (root: string): MayShow => (real) => isWithin(real, root) && isOpen(real);
  const userDir = dirname(configFile);
  // They lie in the configuration's directory, which is secret else.
  const ownFiles = INSTRUCTION_NAMES.map((name) => join(realPathOrSelf(userDir), name));
  const chain = await directoriesDownTo(cwd).catch((): string[] => []);
  return {
    user: {
      directory: userDir,
      from: "user",
      mayShow: (real) => isOpen(real) || ownFiles.includes(real),
    },
    chain: chain.map((directory) => ({ directory, from: "workspace", mayShow: below(chain[0]!) })),
    roots: roots.map(realPathOrSelf).filter((root) => !chain.includes(root))
      .map((directory) => ({ directory, from: "workspace", mayShow: below(directory) })),
  };
}

/** A directory's skills: those in `.agents`, or else in `.claude`. */
async function skillsOf({ directory, mayShow }: InstructionPlace): Promise<SkillPlace> {
  const common = join(directory, ".agents", "skills");
  const isThere = await Deno.stat(common).then((info) => info.isDirectory, () => false);
  return { directory: isThere ? common : join(directory, ".claude", "skills"), mayShow };
}
