import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { AgentError } from "../errors.ts";
import {
  type Check,
  checkBash,
  checkConfig,
  checkConfinement,
  checkDeno,
  checkModel,
  checkRipgrep,
  checkStore,
} from "./doctor_checks.ts";
import { print } from "./print.ts";
import { readCommandLine, usage } from "./settings.ts";

/**
 * `dsh-acp doctor`: what is there, what is missing, how to mend it. Resolves with 1 when something that users
 * need does not work.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, values, words } = await readCommandLine(args, {
    "json": { type: "boolean", default: false },
  });
  if (words.length > 0) throw usage(`doctor takes no arguments, but got "${words[0]}".`);
  const json = values.json === true;
  let config: Config;
  try {
    config = await loadConfig(overrides);
  } catch (e) {
    if (!(e instanceof AgentError)) throw e;
    return report({
      checks: [checkDeno(), { name: "config", state: "fail", found: "unusable", mend: e.message }],
    }, json);
  }
  const [bash, ripgrep, confinement, model, file, store] = await Promise.all([
    checkBash(config),
    checkRipgrep(config),
    checkConfinement(config),
    checkModel(config),
    checkConfig(config),
    checkStore(config),
  ]);
  const { enforcement = "none", layers = [], missing = [] } = confinement.report ?? {};
  const checks = [checkDeno(), bash, ripgrep, confinement.check, model, file, store];
  return report({ checks, enforcement, layers, missing, preset: config.preset }, json);
}

function report(
  found: { readonly checks: readonly Check[] } & Record<string, unknown>,
  json: boolean,
): number {
  const ok = found.checks.every((check) => check.state !== "fail");
  const text = json ? JSON.stringify({ ok, ...found }) : found.checks.map(lines).join("\n");
  print(text);
  return ok ? 0 : 1;
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

function lines({ name, state, found, mend }: Check): string {
  const first = `${MARKS[state]}  ${name.padEnd(12)} ${found}`;
  return mend ? `${first}\n      ${"".padEnd(12)} ${mend}` : first;
}
