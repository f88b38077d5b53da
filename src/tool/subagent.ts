import { z } from "zod";
import { oneLine } from "../errors.ts";
import { sentence } from "./fault.ts";
import { cutOutput, wholeCharacters } from "./bash/markers.ts";
import { type ChildReport, defineTool, type Outcome } from "./tool.ts";

/** Characters of a title. */
const TITLE_LENGTH = 80;
/** Characters from the start and the end of a long report; what it is for is to be shorter than the work. */
const HEAD = 24 * 1024;
const TAIL = 8 * 1024;

const schema = z.object({
  task: z.string().trim().min(1).describe(
    "The whole task: what to find out or do, where to look, what to report. It sees nothing of this conversation",
  ),
  description: z.string().optional().describe("The task in 3 to 6 words for the user"),
  write: z.boolean().optional().describe("Let it change files as you may (default: it only reads)"),
});

type Args = z.infer<typeof schema>;

/** What the card shows at the end. */
type ReportFacts = { readonly report: string; readonly note: string };

/** Gives a task to a child that works in a conversation of its own. */
export const subagent = defineTool<Args, ReportFacts>({
  name: "subagent",
  description:
    "Give a task to a sub-agent with a context of its own; only its last message comes back. For broad searches whose reading would fill your context, and for independent parts: several that only read, called in one reply, run side by side. Not for what takes a few calls.",
  schema,
  readsOnly: (args) => args.write !== true,
  async run(args, context) {
    context.begin();
    return outcomeOf(
      await context.delegate({ title: titleOf(args), task: args.task, write: args.write ?? false }),
    );
  },
  presentCall: (args) => ({
    title: titleOf(args),
    kind: "think",
    blocks: [{ type: "text", text: args.task }],
    locations: [],
  }),
  presentResult: (_args, { facts, text }) => ({
    blocks: [{
      type: "text",
      text: facts
        ? [facts.report, facts.note && `*${facts.note}*`].filter((t) => t !== "").join("\n\n")
        : text,
    }],
  }),
});

/** What the user knows a task by: the model's own few words, else the task's first line. */
function titleOf({ task, description }: Args): string {
  return oneLine(description?.trim() || task.split("\n", 1)[0]!, TITLE_LENGTH);
}

function outcomeOf({ text, end }: ChildReport): Outcome & { facts: ReportFacts } {
  const report = bounded(text);
  const note = noteOn(end, report === "");
  return {
    text: [report, note && `[${note}]`].filter((t) => t !== "").join("\n\n"),
    isError: note !== "",
    facts: { report, note },
  };
}

/** Why a report is not what was asked for; empty when it is. */
function noteOn(end: ChildReport["end"], empty: boolean): string {
  const rest = empty ? "It reported nothing." : "What it said last may be half of the answer.";
  if (typeof end === "object") return `The sub-agent failed: ${sentence(end.failure)} ${rest}`;
  switch (end) {
    case "end_turn":
      return empty ? "The sub-agent ended without a report." : "";
    case "max_tokens":
      return `The sub-agent's last message was cut off at its greatest length. ${rest}`;
    case "max_turn_requests":
      return `The sub-agent was stopped: it had used up its model calls. ${rest}`;
    case "refusal":
      return `The provider refused to let the sub-agent go on. ${rest}`;
  }
}

function bounded(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= HEAD + TAIL) return trimmed;
  const [head, tail] = [trimmed.slice(0, HEAD), trimmed.slice(-TAIL)].map(wholeCharacters) as [
    string,
    string,
  ];
  const bytes = (t: string) => new TextEncoder().encode(t).length;
  return cutOutput(head, bytes(trimmed) - bytes(head) - bytes(tail), tail, undefined).join("\n");
}
