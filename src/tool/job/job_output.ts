import { z } from "zod";
import type { JobReading } from "../../bash/jobs.ts";
import { withoutAnsi } from "../ansi.ts";
import { endNote, readingText, shownOutput } from "./job_text.ts";
import { defineTool, type Outcome } from "../tool.ts";
import { code, fence, type ResultView } from "../view.ts";

/** Milliseconds that one call may wait: the user sees nothing new meanwhile. */
const MAX_WAIT = 60_000;

const schema = z.object({
  job_id: z.string().min(1).describe('Such as "job1"'),
  wait_ms: z.int().min(0).max(MAX_WAIT).optional().describe(
    `Wait for its end, at most so long (default 0, at most ${MAX_WAIT})`,
  ),
});

/** What the card of a look at a job shows; plain text for people. */
export type JobFacts = { readonly shown: string; readonly note: string };

/** Reads what a background job has printed since the last look. */
export const jobOutput = defineTool<z.infer<typeof schema>, JobFacts>({
  name: "job_output",
  description: "Read what a background job has printed since the last read, and whether it still runs.",
  schema,
  readsOnly: true,
  async run(args, context) {
    context.begin();
    await context.jobs.wait(args.job_id, args.wait_ms ?? 0, context.signal);
    context.signal.throwIfAborted();
    return readingOutcome(context.jobs.read(args.job_id), context.cwd);
  },
  presentCall: (args) => ({
    title: `Output of ${code(args.job_id)}`,
    kind: "read",
    blocks: [],
    locations: [],
  }),
  presentResult: (_args, outcome) => presentReading(outcome),
});

/** The outcome of a call that looked at a job; how the job ended is no fault of the look. */
export function readingOutcome(reading: JobReading, workspace: string): Outcome & { facts: JobFacts } {
  const { output, outcome } = reading;
  const ended = outcome === undefined
    ? "Runs on."
    : "failure" in outcome
    ? outcome.failure
    : endNote(outcome);
  return {
    text: readingText(reading, workspace),
    isError: false,
    facts: { shown: withoutAnsi(shownOutput(output)), note: ended },
  };
}

/** The new output, and a line on how the job stands. */
export function presentReading(outcome: Outcome & { facts?: JobFacts }): ResultView {
  if (!outcome.facts) return { blocks: [{ type: "text", text: outcome.text }] };
  const { shown, note } = outcome.facts;
  const output = shown === "" ? "No new output." : fence(shown, "console");
  return { blocks: [{ type: "text", text: `${output}\n\n${note}` }] };
}
