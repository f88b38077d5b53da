import { z } from "zod";
import { type JobFacts, presentReading, readingOutcome } from "./job_output.ts";
import { defineTool } from "../tool.ts";
import { code } from "../view.ts";

const schema = z.object({ job_id: z.string().min(1).describe('Such as "job1"') });

/** Ends a background job. */
export const jobKill = defineTool<z.infer<typeof schema>, JobFacts>({
  name: "job_kill",
  description: "End a background job with all its processes; gives its last output.",
  schema,
  readsOnly: false,
  async run(args, context) {
    context.begin();
    await context.jobs.kill(args.job_id);
    return readingOutcome(context.jobs.read(args.job_id), context.cwd);
  },
  presentCall: (args) => ({ title: `End ${code(args.job_id)}`, kind: "other", blocks: [], locations: [] }),
  presentResult: (_args, outcome) => presentReading(outcome),
});
