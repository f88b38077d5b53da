import { join } from "@std/path";
import { AgentError } from "../errors.ts";

/** Where this program keeps its files on a platform. */
export interface Places {
  readonly home: string;
  /** Sessions, grants, temporary files of sessions. */
  readonly stateDir: string;
  readonly configFile: string;
}

/**
 * The platform's own directories, from the environment alone.
 * @throws AgentError("config") when no home directory is set and none of the directories is.
 */
export function placesOf(os: typeof Deno.build.os, env: Readonly<Record<string, string>>): Places {
  const home = (os === "windows" ? env.USERPROFILE : env.HOME) ?? "";
  const [stateBase, configBase] = os === "windows"
    ? [env.LOCALAPPDATA ?? under(home, "AppData", "Local"), env.APPDATA ?? under(home, "AppData", "Roaming")]
    : os === "darwin"
    ? [under(home, "Library", "Application Support"), under(home, "Library", "Application Support")]
    : [
      absolute(env.XDG_STATE_HOME) ?? under(home, ".local", "state"),
      absolute(env.XDG_CONFIG_HOME) ?? under(home, ".config"),
    ];
  if (!home && !(env.DSH_STATE_DIR && env.DSH_CONFIG)) {
    const name = os === "windows" ? "USERPROFILE" : "HOME";
    throw new AgentError("config", `${name} is not set: set it, or set DSH_STATE_DIR and DSH_CONFIG.`);
  }
  return {
    home: home || "/",
    stateDir: join(stateBase, "dsh-acp"),
    configFile: join(configBase, "dsh-acp", "config.jsonc"),
  };
}

function under(home: string, ...parts: string[]): string {
  return join(home, ...parts);
}

/** The XDG specification says that relative values are to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path : undefined;
}
