import { z } from "zod";
import type { CommandResult } from "../../bash/executor_handle.ts";
import { confinementHint, timeoutHint } from "./confinement_hint.ts";
import { type StartedFacts, startJob } from "../job/job_start.ts";
import { endNote } from "../job/job_text.ts";
import { type CommandFacts, listed, modelText, stopNote } from "./markers.ts";
import { absolutePath } from "../file/path.ts";
import { readingOf, readingSchema } from "./reading_command.ts";
import { defineTool, type Outcome, type ToolContext } from "../tool.ts";
import type { CallView, ResultView } from "../view.ts";

/** Milliseconds that a command may take. */
const DEFAULT_TIMEOUT = 120_000;
const MAX_TIMEOUT = 600_000;

const schema = z.object({
  command: z.string().min(1).describe("Command line for bash"),
  description: z.string().optional().describe("What it does, in a few words for the user"),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT).optional().describe(
    `Default ${DEFAULT_TIMEOUT}, at most ${MAX_TIMEOUT}; not for background`,
  ),
  workdir: z.string().min(1).optional().describe("Directory to run in (default: the workspace)"),
  background: z.boolean().optional().describe(
    "Start it as a job and go on: for servers and long builds, at most 1 h. See job_output, job_kill",
  ),
  escalate: z.enum(["network", "unconfined"]).optional().describe(
    "Ask the user to run this one command with network, or outside the sandbox",
  ),
  justification: z.string().trim().min(1).optional().describe(
    "Needed with escalate: why, in one sentence for the user",
  ),
}).refine((args) => args.escalate === undefined || args.justification !== undefined, {
  path: ["justification"],
  error: "escalate needs a justification: say in one sentence for the user why",
});

type Args = z.infer<typeof schema>;

/** Runs one command line in a fresh bash. */
export const bash = defineTool<Args, CommandFacts | StartedFacts>({
  name: "bash",
  description:
    "Run a command with bash, without a terminal and without input. Each call is a fresh shell: directory and variables do not carry over. Long output is cut in the middle; the whole is kept in a file whose path the result names.",
  schema,
  readsOnly: false,
  run: (args, context) => args.background ? runAsJob(args, context) : runToItsEnd(args, context),
  classify: async (args, place) => {
    if (args.background || args.escalate) return undefined; // more than reading, whatever the words say
    return await readingOf(args.command, absolutePath(args.workdir ?? ".", place));
  },
  presentCall: (args, place, logged): CallView => {
    const reading = readingSchema.safeParse(logged).data;
    return {
      title: args.command,
      kind: reading?.kind ?? "execute",
      blocks: args.description ? [{ type: "text", text: args.description }] : [],
      locations: reading?.locations ?? [],
      terminal: { cwd: absolutePath(args.workdir ?? ".", place) },
    };
  },
  presentResult: (_args, outcome): ResultView => {
    const facts = outcome.facts;
    if (!facts) return { exitNote: outcome.text, terminalNote: outcome.text };
    if (facts.exit !== null) return { exit: facts.exit, exitNote: endNote(facts) };
    const note = `Runs on in the background as ${facts.job}.`;
    return { exitNote: note, terminalNote: `\n… ${note} …\n` };
  },
});

/** Leave for the command, and the executor that it is to run in. */
function admit(args: Args, cwd: string, context: ToolContext): ReturnType<ToolContext["admit"]> {
  const { command, escalate, justification } = args;
  const wish = escalate && justification ? { escalate, justification } : {};
  const action = { kind: "command" as const, command, cwd, ...wish };
  return context.admit(action);
}

async function runAsJob(args: Args, context: ToolContext): Promise<Outcome> {
  context.jobs.assertRoom(); // before the user is asked for what cannot be
  const cwd = absolutePath(args.workdir ?? ".", context);
  const executor = await admit(args, cwd, context);
  const wish = args.escalate ? { escalate: args.escalate } : {};
  return await startJob(executor, { command: args.command, cwd, ...wish }, context);
}

async function runToItsEnd(args: Args, context: ToolContext): Promise<Outcome> {
  const cwd = absolutePath(args.workdir ?? ".", context);
  const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT;
  const executor = await admit(args, cwd, context);
  let live = "";
  const result = await executor.run({ command: args.command, cwd, timeoutMs }, (text) => {
    live += text;
    context.emit(text);
  }, context.signal);
  for (const text of afterwords(result, timeoutMs)) context.emit(text);
  const { exit, stopped, durationMs } = result;
  const { report } = executor;
  const held = { report, preset: report.preset, escalated: args.escalate };
  const hint = stopped === "timeout"
    ? timeoutHint(args.command, held)
    : stopped
    ? ""
    : confinementHint({ output: live + result.tail, exit, ...held, workspace: context.cwd, cwd });
  return {
    text: modelText(live, result, { timeoutMs, hint }),
    isError: !("code" in exit && exit.code === 0) || stopped !== undefined,
    facts: { exit, stopped: stopped ?? null, durationMs },
  };
}

/**
 * What the terminal shows behind the streamed output: the end of a long one, why a command was stopped, and
 * which of its changes were taken back.
 */
function afterwords(result: CommandResult, timeoutMs: number): string[] {
  const { omittedBytes, tail, stopped, restored = [] } = result;
  return [
    omittedBytes > 0 ? `\n… ${omittedBytes} bytes omitted …\n` : "",
    tail,
    stopped === "timeout" ? `\n… stopped after ${timeoutMs} ms …\n` : "",
    stopped && stopped !== "timeout" && stopped !== "cancelled" ? `\n… ${stopNote(stopped)} …\n` : "",
    restored.length > 0 ? `\n… protected files were put back: ${listed(restored)} …\n` : "",
  ].filter((text) => text !== "");
}
