import { parseArgs } from "node:util";
import { resolve } from "@std/path";
import { logLevel, type Overrides, preset } from "../config/load.ts";
import { AgentError, messageOf } from "../errors.ts";

/** What the command line asks for. */
export type Command =
  | { readonly name: "serve"; readonly overrides: Overrides }
  | { readonly name: "demo" }
  | ExecCommand;

/** `dsh-acp exec`. */
export interface ExecCommand {
  readonly name: "exec";
  readonly overrides: Overrides;
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly json: boolean;
}

const SETTINGS = {
  "model": { type: "string" },
  "preset": { type: "string" },
  "config": { type: "string" },
  "state-dir": { type: "string" },
  "log-level": { type: "string" },
  "log-file": { type: "string" },
} as const;

const EXEC_OPTIONS = {
  ...SETTINGS,
  "cwd": { type: "string" },
  "timeout-ms": { type: "string" },
  "json": { type: "boolean" },
} as const;

/** The time that a command may take when nothing else is said, in milliseconds. */
const DEFAULT_TIMEOUT = 120_000;

/** Reads the command line. @throws AgentError("usage") that names what is wrong with it. */
export function parseCommand(args: readonly string[]): Command {
  const [first, ...rest] = args;
  if (first === "exec") return parseExec(rest);
  if (first === "demo") return parseDemo(rest);
  if (first !== undefined && !first.startsWith("-")) throw usage(`There is no command "${first}".`);
  const { values } = parsed(() => parseArgs({ args: [...args], options: SETTINGS, strict: true }));
  return { name: "serve", overrides: overridesOf(values) };
}

function parseDemo(args: readonly string[]): Command {
  if (args.length > 0) throw usage(`demo takes no arguments, but got "${args[0]}".`);
  return { name: "demo" };
}

function parseExec(args: readonly string[]): ExecCommand {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: EXEC_OPTIONS, strict: true, allowPositionals: true })
  );
  if (positionals.length === 0) throw usage("exec needs a command: dsh-acp exec -- COMMAND");
  const timeoutMs = Number(values["timeout-ms"] ?? DEFAULT_TIMEOUT);
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) {
    throw usage("--timeout-ms must be a whole number of at least 1.");
  }
  return {
    name: "exec",
    overrides: overridesOf(values),
    command: positionals.join(" "),
    cwd: resolve(values.cwd ?? Deno.cwd()),
    timeoutMs,
    json: values.json ?? false,
  };
}

function overridesOf(values: { [name in keyof typeof SETTINGS]?: string | undefined }): Overrides {
  const { model, config } = values;
  const stateDir = values["state-dir"];
  const level = values["log-level"];
  const file = values["log-file"];
  return {
    ...(model ? { model } : {}),
    ...(values.preset ? { preset: parsed(() => preset(values.preset!)) } : {}),
    ...(config ? { configFile: resolve(config) } : {}),
    ...(stateDir ? { stateDir: resolve(stateDir) } : {}),
    ...(level || file
      ? { log: { level: parsed(() => logLevel(level ?? "info")), file: file ? resolve(file) : undefined } }
      : {}),
  };
}

/** Whatever a parser throws is the user's mistake here. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (e) {
    throw usage(messageOf(e));
  }
}

function usage(message: string): AgentError {
  return new AgentError("usage", message);
}
