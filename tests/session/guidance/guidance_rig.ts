import { dirname, join } from "@std/path";
import { type Guidance, readGuidance } from "../../../src/session/guidance/guidance.ts";
import { readCommands } from "../../../src/session/slash/all.ts";
import type { CommandSet } from "../../../src/session/slash/command.ts";

/** A folder with a home, a configuration and a repository in it. */
export interface Ground {
  readonly root: string;
  readonly home: string;
  readonly configDir: string;
  readonly repo: string;
  /** Writes a file by its path from the folder; gives the absolute one. */
  write(path: string, text: string | Uint8Array): Promise<string>;
  /** What a session in `cwd` (the repository by default) would be told. */
  read(cwd?: string, roots?: readonly string[]): Promise<Guidance>;
  /** The commands that such a session would have. */
  commands(cwd?: string, roots?: readonly string[]): Promise<CommandSet>;
}

/** Runs a test's part on such a folder, and removes it. */
export async function onGround(body: (ground: Ground) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "dsh-guidance-" }));
  const [home, repo] = [join(root, "home"), join(root, "home", "repo")];
  const tempDir = join(root, "state", "tmp");
  const configDir = join(home, ".config", "dsh-acp");
  const config = {
    home,
    stateDir: join(root, "state"),
    environment: {},
    configFile: join(configDir, "c.jsonc"),
    keysFile: join(configDir, "keys.json"),
  };
  try {
    for (const dir of [configDir, join(repo, ".git")]) await Deno.mkdir(dir, { recursive: true });
    await body({
      ...{ root, home, configDir, repo },
      async write(path, text) {
        const file = join(root, path);
        await Deno.mkdir(dirname(file), { recursive: true });
        await Deno.writeFile(file, typeof text === "string" ? new TextEncoder().encode(text) : text);
        return file;
      },
      read: (cwd = repo, roots = []) => readGuidance({ config, cwd, roots, tempDir }),
      commands: (cwd = repo, roots = []) => readCommands({ config, cwd, roots, tempDir }, []),
    });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Path and text of the instructions, the path from the ground's folder. */
export function told(ground: Ground, { instructions }: Guidance): [path: string, text: string][] {
  return instructions.map(({ path, text }) => [path.slice(ground.root.length + 1), text]);
}
