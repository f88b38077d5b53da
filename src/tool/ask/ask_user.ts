import { z } from "zod";
import { askedForm, type QuestionArgs, readAnswer } from "./ask_user_form.ts";
import { plainLine } from "../plain_line.ts";
import { asksForSecret } from "./secret_question.ts";
import { defineTool, type Outcome, type ToolContext } from "../tool.ts";
import type { NoAnswer } from "../user.ts";
import { type Block, fence } from "../view.ts";

const MAX_OPTIONS = 20;
/** Characters of a label: it has to fit on a button. */
const MAX_LABEL = 100;
/** Characters of the question in the card's title; the whole stands below it. */
const TITLE = 160;
/** Characters of a description in the card. */
const DESCRIPTION = 300;

const schema = z.object({
  question: z.string().trim().min(1),
  options: z.array(z.object({
    label: z.string().trim().min(1).max(MAX_LABEL),
    description: z.string().optional(),
  })).max(MAX_OPTIONS).optional().describe("Best first; the user may also answer in own words"),
  multi: z.boolean().optional().describe("Several options may be chosen"),
}).refine(({ options = [] }) => new Set(options.map((o) => o.label)).size === options.length, {
  path: ["options"],
  error: "two options have the same label",
});

/** What became of a question. */
export interface AskFacts {
  readonly how: "answered" | NoAnswer | "secret";
  /** Labels. */
  readonly chosen: readonly string[];
  /** The user's own words; empty where there are none. */
  readonly text: string;
}

/** Asks the user something, in whatever way the client can show it. */
export const askUser = defineTool<QuestionArgs, AskFacts>({
  name: "ask_user",
  description:
    "Ask the user one question when you cannot go on without their decision. Do not ask what you can find out, nor for leave (tools do that), nor ever for passwords, keys or tokens.",
  schema,
  readsOnly: false, // one question at a time
  async run(args, context) {
    if (asksForSecret(args.question)) return outcomeOf(without("secret"));
    // The call stays pending: some clients hide a question about a call that is in progress.
    const facts = await ask(args, context);
    context.signal.throwIfAborted();
    return outcomeOf(facts);
  },
  presentCall: (args) => ({
    title: plainLine(args.question, TITLE),
    kind: "other",
    blocks: [{ type: "text", text: questionText(args) }],
    locations: [],
  }),
  presentResult: (args, { facts }) => {
    if (!facts) return {};
    return { blocks: [{ type: "text", text: questionText(args) }, answerBlock(facts)] };
  },
});

/** As a form; else, where the options are few, as buttons; else not at all. */
async function ask(args: QuestionArgs, { user }: ToolContext): Promise<AskFacts> {
  const form = askedForm(args);
  const labels = (args.options ?? []).map((o) => o.label);
  const elicited = await user.elicit({ mode: "form", message: args.question, form });
  if (elicited.action === "accept") {
    const answer = readAnswer(elicited.content, labels.length > 0);
    return answer ? { how: "answered", ...answer } : without("decline");
  }
  if (elicited.action !== "unsupported" || labels.length === 0 || args.multi) return without(elicited.action);
  const choice = await user.choose({ options: labels });
  if (choice.action !== "accept") return without(choice.action);
  return { how: "answered", chosen: [labels[choice.index]!], text: "" };
}

function without(how: Exclude<AskFacts["how"], "answered">): AskFacts {
  return { how, chosen: [], text: "" };
}

const NOT_SHOWN =
  "The question could not be shown here. Put it into your message to the user, with the options, and end your turn: the answer is the next prompt.";

/** What the model reads where there is no answer. */
const FOR_MODEL: Record<Exclude<AskFacts["how"], "answered">, string> = {
  decline: "The user gave no answer. Go on as you think best, or say what you need and end your turn.",
  cancel:
    "The user put the question away without an answer. Go on as you think best, or say what you need and end your turn.",
  unsupported: NOT_SHOWN,
  failed: NOT_SHOWN,
  nobody: "No user is there to answer. Decide yourself, and say in your result what you assumed.",
  secret:
    "Not asked: secrets must not go through the chat, where they would be stored and sent to the model. Tell the user where to put the secret (an environment variable, a credential store) and go on. If the question asks for no secret, word it so.",
};

/** The same for the user. */
const FOR_USER: Record<Exclude<AskFacts["how"], "answered">, string> = {
  decline: "No answer.",
  cancel: "No answer.",
  unsupported: "To be answered in the chat.",
  failed: "To be answered in the chat.",
  nobody: "No user was there to answer.",
  secret: "Not asked: secrets do not belong in a chat.",
};

function outcomeOf(facts: AskFacts): Outcome {
  const { how, chosen, text } = facts;
  const isError = how === "secret";
  const logged = { how, chosen, text };
  if (how !== "answered") return { text: FOR_MODEL[how], isError, facts: logged };
  const parts = [
    chosen.length > 0 ? `The user chose: ${chosen.map((label) => JSON.stringify(label)).join(", ")}.` : "",
    text === "" ? "" : `The user wrote: ${text}`,
  ];
  return { text: parts.filter((part) => part !== "").join("\n"), isError, facts: logged };
}

/** The whole question with its options, numbered. */
function questionText({ question, options = [] }: QuestionArgs): string {
  const lines = options.map(({ label, description }, i) => {
    const more = description ? ` — ${plainLine(description, DESCRIPTION)}` : "";
    return `${i + 1}. ${plainLine(label, MAX_LABEL)}${more}`;
  });
  return [question, lines.join("\n")].filter((part) => part !== "").join("\n\n");
}

function answerBlock({ how, chosen, text }: AskFacts): Block {
  if (how !== "answered") return { type: "text", text: FOR_USER[how] };
  const own = text === "" ? [] : [text.includes("\n") ? fence(text) : plainLine(text, text.length)];
  const answers = [...chosen.map((label) => plainLine(label, MAX_LABEL)), ...own];
  return { type: "text", text: `**Answer:** ${answers.join(text.includes("\n") ? "\n\n" : ", ")}` };
}
