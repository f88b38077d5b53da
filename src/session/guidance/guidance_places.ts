import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Config } from "../../config/config.ts";
import { mayRead } from "../../sandbox/access.ts";
import { ownPlacesOf } from "../../sandbox/own_places.ts";
import { isWithin, realPathOrSelf } from "../../sandbox/paths.ts";
import { type Policy, policyFor } from "../../sandbox/policy.ts";
import { INSTRUCTION_NAMES, type InstructionPlace } from "./instructions.ts";
import type { MayShow } from "./plain_file.ts";
import { directoriesDownTo } from "./repository.ts";

/** Where guidance is looked for. */
export interface GuidanceInput {
  readonly config: Pick<Config, "home" | "stateDir" | "environment" | "configFile" | "keysFile">;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly tempDir: string;
}

/** Directories whose files speak to the model, and which of those files may be shown to it. */
export interface GuidancePlaces {
  readonly user: InstructionPlace;
  /** From the repository's root down to the session's directory. */
  readonly chain: readonly InstructionPlace[];
  readonly roots: readonly InstructionPlace[];
}

/** Finds those of a session. Never throws. */
export async function placesOf({ config, cwd, roots, tempDir }: GuidanceInput): Promise<GuidancePlaces> {
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
  const ownCommands = realPathOrSelf(join(userDir, "commands"));
  const chain = await directoriesDownTo(cwd).catch((): string[] => []);
  return {
    user: {
      directory: userDir,
      from: "user",
      mayShow: (real) => isOpen(real) || ownFiles.includes(real) || isWithin(real, ownCommands),
    },
    chain: chain.map((directory) => ({ directory, from: "workspace", mayShow: below(chain[0]!) })),
    roots: roots.map(realPathOrSelf).filter((root) => !chain.includes(root))
      .map((directory) => ({ directory, from: "workspace", mayShow: below(directory) })),
  };
}

/** What a directory keeps for agents under `name`: in `.agents`, or else in `.claude`. */
export async function sharedDirectory(directory: string, name: string): Promise<string> {
  const common = join(directory, ".agents", name);
  const isThere = await Deno.stat(common).then((info) => info.isDirectory, () => false);
  return isThere ? common : join(directory, ".claude", name);
}
