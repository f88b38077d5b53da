import { z } from "zod";
import type { CommandResult } from "../bash/executor_handle.ts";
import { type CommandFacts, modelText } from "./markers.ts";
import { absolutePath } from "./path.ts";
import { defineTool } from "./tool.ts";
import type { ResultView } from "./view.ts";

/** Milliseconds that a command may take. */
const DEFAULT_TIMEOUT = 120_000;
const MAX_TIMEOUT = 600_000;

const schema = z.object({
  command: z.string().min(1).describe("Command line for bash"),
  description: z.string().optional().describe("What it does, in a few words for the user"),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT).optional().describe(
    `Default ${DEFAULT_TIMEOUT}, at most ${MAX_TIMEOUT}`,
  ),
  workdir: z.string().min(1).optional().describe("Directory to run in (default: the workspace)"),
});

/** Runs one command line in a fresh bash. */
export const bash = defineTool<z.infer<typeof schema>, CommandFacts>({
  name: "bash",
  description:
    "Run a command with bash, without a terminal and without input. Each call is a fresh shell: directory and variables do not carry over. Long output is cut in the middle; the whole is kept in a file whose path the result names.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const cwd = absolutePath(args.workdir ?? ".", context);
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT;
    const executor = await context.admit({ kind: "command", command: args.command, cwd });
    let live = "";
    const result = await executor.run({ command: args.command, cwd, timeoutMs }, (text) => {
      live += text;
      context.emit(text);
    }, context.signal);
    for (const text of afterwords(result, timeoutMs)) context.emit(text);
    const exitedWell = "code" in result.exit && result.exit.code === 0 && !result.stopped;
    return {
      text: modelText(live, result, timeoutMs),
      isError: !exitedWell,
      facts: { exit: result.exit, stopped: result.stopped ?? null, durationMs: result.durationMs },
    };
  },
  presentCall: (args, place) => ({
    title: args.command,
    kind: "execute",
    blocks: args.description ? [{ type: "text", text: args.description }] : [],
    locations: [],
    terminal: { cwd: absolutePath(args.workdir ?? ".", place) },
  }),
  presentResult: (_args, outcome): ResultView => {
    const facts = outcome.facts;
    if (!facts) return { exitNote: outcome.text, terminalNote: outcome.text };
    return { exit: facts.exit, exitNote: exitNote(facts) };
  },
});

/** What the terminal shows behind the streamed output: the end of a long one, and why a command was stopped. */
function afterwords(result: CommandResult, timeoutMs: number): string[] {
  const words: string[] = [];
  if (result.omittedBytes > 0) words.push(`\n… ${result.omittedBytes} bytes omitted …\n`);
  if (result.tail !== "") words.push(result.tail);
  if (result.stopped === "timeout") words.push(`\n… stopped after ${timeoutMs} ms …\n`);
  if (result.stopped === "output-limit") words.push("\n… stopped: too much output …\n");
  return words;
}

function exitNote(facts: CommandFacts): string {
  if (facts.stopped === "timeout") return "Timed out.";
  if (facts.stopped === "cancelled") return "Cancelled.";
  if ("signal" in facts.exit) return `Killed by ${facts.exit.signal}.`;
  return `Exit code ${facts.exit.code}.`;
}
