import { AgentError } from "../errors.ts";

/** Where this program keeps its files on a platform. */
export interface Places {
  readonly home: string;
  /** Sessions, grants, temporary files of sessions. */
  readonly stateDir: string;
  readonly configFile: string;
  /** Keys that the user typed in. */
  readonly keysFile: string;
}

/**
 * The platform's own directories, from the environment alone.
 * @throws AgentError("config") when no home directory is set and none of the directories is.
 */
export function placesOf(os: typeof Deno.build.os, env: Readonly<Record<string, string>>): Places {
  const home = (os === "windows" ? env.USERPROFILE : env.HOME) ?? "";
  if (!home && !(env.DSH_STATE_DIR && env.DSH_CONFIG)) {
    const name = os === "windows" ? "USERPROFILE" : "HOME";
    throw new AgentError("config", `${name} is not set: set it, or set DSH_STATE_DIR and DSH_CONFIG.`);
  }
  const { state, config } = basesOf(os, home, env);
  return {
    home: home || "/",
    stateDir: `${state}/dsh-acp`,
    configFile: `${config}/dsh-acp/config.jsonc`,
    keysFile: `${config}/dsh-acp/keys.json`,
  };
}

/** Where programs of a platform keep state and configuration. `/` is understood on all of them. */
function basesOf(
  os: typeof Deno.build.os,
  home: string,
  env: Readonly<Record<string, string>>,
): { state: string; config: string } {
  switch (os) {
    case "windows":
      return {
        state: env.LOCALAPPDATA ?? `${home}/AppData/Local`,
        config: env.APPDATA ?? `${home}/AppData/Roaming`,
      };
    case "darwin":
      return { state: `${home}/Library/Application Support`, config: `${home}/Library/Application Support` };
    default:
      return {
        state: absolute(env.XDG_STATE_HOME) ?? `${home}/.local/state`,
        config: absolute(env.XDG_CONFIG_HOME) ?? `${home}/.config`,
      };
  }
}

/** The XDG specification says that relative values are to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith("/") ? path : undefined;
}
