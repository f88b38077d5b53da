import type { Executor } from "../../bash/executor_handle.ts";
import type { JobRequest } from "../../bash/jobs.ts";
import { readingText, shownOutput } from "./job_text.ts";
import { type CommandFacts, cutOutput, joinLines } from "../bash/markers.ts";
import type { Outcome, ToolContext } from "../tool.ts";

/** Milliseconds that a start is watched: what fails at once is seen to fail. */
const WATCHED_MS = 300;

/** The logged facts of a start whose job runs on. */
export type StartedFacts = { readonly exit: null; readonly job: string };

/**
 * Starts a command as a job and shows its first output. The outcome of one that has ended by then is that of a
 * command; of one that runs on it names the job, and says how to go on with it.
 */
export async function startJob(
  executor: Executor,
  request: JobRequest,
  context: ToolContext,
): Promise<Outcome & { facts: CommandFacts | StartedFacts }> {
  const { jobs } = context;
  const job = jobs.start(executor, request);
  await jobs.wait(job, WATCHED_MS, context.signal);
  const reading = jobs.read(job);
  const { output, outcome } = reading;
  const text = shownOutput(output);
  if (text !== "") context.emit(text);
  if (outcome === undefined) {
    const lines = cutOutput(output.head, output.omittedBytes, output.tail, undefined);
    return {
      text: joinLines([...lines, `[${job} runs in the background. ${NEXT}]`]),
      isError: false,
      facts: { exit: null, job },
    };
  }
  if ("failure" in outcome) throw new Error(outcome.failure);
  const { exit, stopped } = outcome;
  return {
    text: readingText(reading, context.cwd),
    isError: !("code" in exit && exit.code === 0) || stopped !== null,
    facts: outcome,
  };
}

const NEXT = "job_output reads on, job_kill ends it; its end is reported with a later message of the user.";
