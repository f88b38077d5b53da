import type { ParseArgsConfig } from "node:util";
import { logLevel, type Overrides, preset } from "../config/load.ts";
import { AgentError, messageOf } from "../errors.ts";

/** Flags that every command which runs the agent takes. */
const SETTINGS = {
  "model": { type: "string" },
  "preset": { type: "string" },
  "config": { type: "string" },
  "state-dir": { type: "string" },
  "log-level": { type: "string" },
  "log-file": { type: "string" },
} as const;

type Flags = NonNullable<ParseArgsConfig["options"]>;
/** A flag's value by its name; `undefined` when it was not given. */
type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** A command line, read: its settings, its own flags, and the words that are no flags. */
export interface CommandLine {
  readonly overrides: Overrides;
  readonly values: Values;
  readonly words: readonly string[];
}

/** Reads a command's arguments. @throws AgentError("usage") that names what is wrong. */
export async function readCommandLine(args: readonly string[], flags: Flags = {}): Promise<CommandLine> {
  // An editor starts the agent without arguments, and should not wait 5 ms for a parser of them.
  if (args.length === 0) return { overrides: {}, values: {}, words: [] };
  const [{ parseArgs }, { resolve }] = await Promise.all([import("node:util"), import("node:path")]);
  return asUsage(() => {
    const options = { ...SETTINGS, ...flags };
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
    });
    return { overrides: overridesOf(values, resolve), values, words: positionals };
  });
}

/** An error of the command line. */
export function usage(message: string): AgentError {
  return new AgentError("usage", message);
}

function overridesOf(values: Values, resolve: (path: string) => string): Overrides {
  const text = (name: keyof typeof SETTINGS) => typeof values[name] === "string" ? values[name] : undefined;
  const [model, config, stateDir, file] = [
    text("model"),
    text("config"),
    text("state-dir"),
    text("log-file"),
  ];
  const level = text("log-level");
  return {
    ...(model ? { model } : {}),
    ...(values.preset ? { preset: preset(String(values.preset)) } : {}),
    ...(config ? { configFile: resolve(config) } : {}),
    ...(stateDir ? { stateDir: resolve(stateDir) } : {}),
    ...(level || file
      ? { log: { level: logLevel(level ?? "info"), file: file ? resolve(file) : undefined } }
      : {}),
  };
}

/** Whatever a parser throws is a mistake on the command line here. */
function asUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (e) {
    throw usage(messageOf(e));
  }
}
