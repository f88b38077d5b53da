import { discoverTools } from "../bash/discover.ts";
import { startExecutor } from "../bash/host.ts";
import { NO_RIPGREP } from "../bash/search/ripgrep.ts";
import type { Config } from "../config/config.ts";
import { Keyring } from "../config/keyring.ts";
import { messageOf } from "../errors.ts";
import { silentLog } from "../log.ts";
import { findLocalModel } from "../model/local_server.ts";
import { modelName, openModel, resolveModel } from "../model/providers.ts";
import { parseRules } from "../permission/rules.ts";
import { storeFaultOf } from "../session/store/store_error.ts";
import { ownPlacesOf } from "../sandbox/own_places.ts";
import { policyFor } from "../sandbox/policy.ts";
import type { ConfinementReport } from "../sandbox/report.ts";

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `warn`: works, but less than it could; `fail`: something that users need does not work. */
  readonly state: "ok" | "warn" | "fail";
  /** What is there, one line. */
  readonly found: string;
  /** What to do about it; absent when all is well. */
  readonly mend?: string | undefined;
}

/** The oldest Deno that this program is tested with: major and minor. */
const MIN_DENO = [2, 9] as const;

/** Is this Deno new enough? */
export function checkDeno(version: string = Deno.version.deno): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > MIN_DENO[0] || (major === MIN_DENO[0] && minor >= MIN_DENO[1]);
  return {
    name: "deno",
    state: enough ? "ok" : "fail",
    found: version,
    mend: enough
      ? undefined
      : `Update to Deno ${MIN_DENO.join(".")} or later: deno upgrade, or npm install -g deno.`,
  };
}

/** Is there a bash to run commands with? */
export async function checkBash(config: Config): Promise<Check> {
  try {
    return { name: "bash", state: "ok", found: (await discoverTools(config.environment)).bash };
  } catch (e) {
    return { name: "bash", state: "warn", found: "none", mend: messageOf(e) };
  }
}

/** Is there a ripgrep for glob and grep, the machine's own or the packaged one? */
export async function checkRipgrep(config: Config): Promise<Check> {
  const tools = await discoverTools(config.environment).catch(() => undefined);
  if (tools === undefined) {
    const mend = "Without bash nothing is searched, since ripgrep could not be confined: install bash.";
    return { name: "ripgrep", state: "warn", found: "not used", mend };
  }
  return tools.rg === undefined
    ? { name: "ripgrep", state: "warn", found: "none", mend: NO_RIPGREP }
    : { name: "ripgrep", state: "ok", found: tools.rg };
}

/** Starts an executor as a session would, and runs a command in it: which layers hold? */
export async function checkConfinement(
  config: Config,
): Promise<{ check: Check; report?: ConfinementReport }> {
  const dir = await Deno.makeTempDir({ prefix: "dsh-acp-doctor-" });
  try {
    const [cwd, tempDir] = [`${dir}/workspace`, `${dir}/tmp`];
    await Promise.all([Deno.mkdir(cwd), Deno.mkdir(tempDir)]);
    const { environment, envPass, home, stateDir } = config;
    const places = ownPlacesOf(config);
    const { policy } = policyFor({ preset: "workspace", cwd, home, stateDir, tempDir, ...places });
    const executor = await startExecutor({ policy, environment, envPass, home, log: silentLog });
    try {
      const request = { command: "true", cwd: policy.cwd, timeoutMs: 10_000 };
      await executor.run(request, () => {}, new AbortController().signal);
      return { check: confinementCheck(executor.report), report: executor.report };
    } finally {
      await executor.close();
    }
  } catch (e) {
    const mend = "Until then every command asks; the preset full-access runs without confinement.";
    return { check: { name: "confinement", state: "fail", found: `none: ${messageOf(e)}`, mend } };
  } finally {
    await Deno.remove(dir, { recursive: true }).catch(() => {});
  }
}

function confinementCheck(report: ConfinementReport): Check {
  return {
    name: "confinement",
    state: report.enforcement === "full" ? "ok" : "warn",
    found: `${report.enforcement} (${report.layers.join(", ")})`,
    mend: report.missing.length > 0 ? report.missing.join(" ") : undefined,
  };
}

/** Which model would answer a prompt? Nothing is sent to it. */
export async function checkModel(unkeyed: Config): Promise<Check> {
  const { config } = new Keyring(unkeyed);
  try {
    const ref = resolveModel(config) ?? (await findLocalModel())?.ref;
    if (!ref) {
      const mend =
        "Run dsh-acp login, or set DEEPSEEK_API_KEY, or OPENAI_BASE_URL with --model openai-compatible/MODEL, or start a local server.";
      return { name: "model", state: "fail", found: "none", mend };
    }
    await openModel(ref, config);
    return { name: "model", state: "ok", found: modelName(ref) };
  } catch (e) {
    return { name: "model", state: "fail", found: config.model ?? "none", mend: messageOf(e) };
  }
}

/** Which config file is read, and are its rules right? The rest was checked when it was loaded. */
export async function checkConfig(config: Config): Promise<Check> {
  try {
    parseRules(config.rules);
  } catch (e) {
    return { name: "config", state: "fail", found: config.configFile, mend: messageOf(e) };
  }
  const there = await Deno.stat(config.configFile).then(() => true, () => false);
  return {
    name: "config",
    state: "ok",
    found: there ? config.configFile : `${config.configFile} (none; defaults)`,
  };
}

/** Can sessions be kept? */
export async function checkStore(config: Config): Promise<Check> {
  const path = config.stateDir;
  try {
    const { SqliteStore } = await import("../session/store/sqlite_store.ts");
    new SqliteStore(path).close();
    return { name: "state", state: "ok", found: path };
  } catch (e) {
    if (storeFaultOf(e) === "damaged") {
      const mend = "It is kept aside, and a new one is begun, when a session is next prompted or loaded.";
      return { name: "state", state: "warn", found: `${path}, damaged`, mend };
    }
    return { name: "state", state: "fail", found: path, mend: messageOf(e) };
  }
}
