import { z } from "zod";
import { oneLine } from "../errors.ts";
import { defineTool } from "./tool.ts";

/** More than these nobody reads. */
const MAX_ENTRIES = 50;
const MAX_CONTENT = 500;

const schema = z.object({
  entries: z.array(z.object({
    content: z.string().trim().min(1).max(MAX_CONTENT),
    status: z.enum(["pending", "in_progress", "completed"]),
    priority: z.enum(["high", "medium", "low"]).optional(),
  })).max(MAX_ENTRIES).describe("All steps, in order, each time"),
});

/** Shows the user the plan. It is drawn as a plan, so that its calls need no card. */
export const plan = defineTool<z.infer<typeof schema>>({
  name: "plan",
  description:
    "Show the user your steps for work of three or more, and keep them up to date: one in_progress at a time, completed as soon as it is done.",
  schema,
  card: "none",
  readsOnly: false, // what it says is done was called before it: that has to have ended
  run(args, context) {
    context.setPlan(args.entries.map(({ content, status, priority }) => ({
      content: oneLine(content, MAX_CONTENT),
      status,
      priority: priority ?? "medium",
    })));
    return Promise.resolve({ text: "The user sees the plan.", isError: false });
  },
});
