import metadata from "../deno.json" with { type: "json" };

/** Exit codes of this program. */
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const HELP = `dsh-acp ${metadata.version}: a coding agent for editors that speaks the Agent Client Protocol

Usage:
  dsh-acp [OPTIONS]                  ACP on stdin and stdout (what an editor starts)
  dsh-acp demo                       a whole turn in this terminal: no key, no network
  dsh-acp exec [OPTIONS] -- COMMAND  one command through the confined executor
  dsh-acp doctor [--json]            what is there, what is missing, how to mend it
  dsh-acp login [--provider NAME]    type in an API key (DeepSeek's by default), kept for this user
  dsh-acp logout                     forget the keys that were typed in
  dsh-acp sessions list | show ID | export ID | delete ID  [--json]
  dsh-acp grants list | withdraw ID  what was allowed for always; take it back
  dsh-acp --help | --version

Options:
  --model PROVIDER/MODEL   the model to use                     DSH_MODEL
  --preset PRESET          read-only, confirm, workspace        DSH_PRESET
                           (default) or full-access
  --config FILE            config file (JSON with comments)     DSH_CONFIG
  --state-dir DIR          sessions and temporary files         DSH_STATE_DIR
  --log-level LEVEL        off (default), error, warn, info,    DSH_LOG
                           debug; on stderr
  --log-file FILE          the log goes there instead

Options of exec:
  --cwd DIR                directory to run in (default: this one)
  --timeout-ms N           milliseconds it may take (default 120000)
  --json                   one JSON object on stdout, exit 0 if it could be run

Keys: dsh-acp login, or DEEPSEEK_API_KEY (and DEEPSEEK_BASE_URL), or OPENAI_API_KEY and
OPENAI_BASE_URL with --model openai-compatible/MODEL.
`;

/** Runs the program and exits. Never returns normally. */
export async function main(args: readonly string[]): Promise<never> {
  // First of all: a compiled program re-executes itself as the executor, with nothing else loaded.
  if (args[0] === "--dsh-executor") {
    const executor = await import("./bash/executor.ts");
    return await executor.main(args.slice(1));
  }
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  if (own.includes("--help") || own.includes("-h")) return done(HELP);
  if (own.includes("--version") || own.includes("-V")) return done(`dsh-acp ${metadata.version}\n`);
  Deno.exit(await run(args));
}

/** One module a command, loaded when it is called for. */
const COMMANDS = {
  demo: () => import("./commands/demo.ts"),
  doctor: () => import("./commands/doctor.ts"),
  exec: () => import("./commands/run_exec.ts"),
  grants: () => import("./commands/grants.ts"),
  login: () => import("./commands/login.ts"),
  logout: () => import("./commands/logout.ts"),
  sessions: () => import("./commands/sessions.ts"),
} as const;

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

/**
 * Where the command stands: the first word that is no option and no option's value. Editors append `login` to the
 * arguments that they start the agent with.
 */
function commandAt(args: readonly string[]): number {
  const takesValue = (arg: string | undefined) => arg !== undefined && /^--[a-z-]+$/.test(arg);
  return args.findIndex((arg, i) => !arg.startsWith("-") && !takesValue(args[i - 1]));
}

/** Runs a command. Reports whatever it throws, on stderr, in one line. */
async function run(args: readonly string[]): Promise<number> {
  const at = commandAt(args);
  const name = args[at] ?? "";
  try {
    if (isCommand(name)) return await (await COMMANDS[name]()).run(args.toSpliced(at, 1));
    return await (await import("./commands/serve.ts")).run(args);
  } catch (e) {
    const { AgentError, messageOf } = await import("./errors.ts");
    const usage = e instanceof AgentError && e.kind === "usage";
    write(Deno.stderr, `dsh-acp: ${messageOf(e)}\n${usage ? "Try dsh-acp --help.\n" : ""}`);
    return usage ? EXIT.usage : EXIT.failed;
  }
}

function done(text: string): never {
  write(Deno.stdout, text);
  Deno.exit(EXIT.ok);
}

function write(out: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(out.writeSync(bytes));
}
