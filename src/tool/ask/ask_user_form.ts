import { oneLine } from "../../errors.ts";
import type { Form, FormContent } from "./form.ts";

/** A question as the model asks it. */
export interface QuestionArgs {
  readonly question: string;
  readonly options?:
    | readonly { readonly label: string; readonly description?: string | undefined }[]
    | undefined;
  readonly multi?: boolean | undefined;
}

/**
 * The choice, and beside it the user's own words: some clients draw a text named `X_custom` as the last option
 * of the choice `X`.
 */
const ANSWER = "answer";
const OWN_WORDS = "answer_custom";
/** Characters of the user's own words that the model is given. */
const MAX_OWN_WORDS = 20_000;

/** The form for a question; with options none of its fields is required, since either one answers it. */
export function askedForm({ options = [], multi }: QuestionArgs): Form {
  const title = "Answer";
  if (options.length === 0) return { fields: [{ name: ANSWER, title, required: true, type: "text" }] };
  return {
    fields: [
      {
        name: ANSWER,
        title,
        required: false,
        type: multi ? "choices" : "choice",
        options: options.map(({ label, description }) => ({
          value: label,
          title: oneLine(label),
          description,
        })),
      },
      { name: OWN_WORDS, title: "In your own words", required: false, type: "text" },
    ],
  };
}

/** What the user answered; undefined when the form came back empty. */
export function readAnswer(
  content: FormContent,
  options: boolean,
): { readonly chosen: readonly string[]; readonly text: string } | undefined {
  const { [ANSWER]: answer, [OWN_WORDS]: own } = content;
  const chosen = !options ? [] : Array.isArray(answer) ? answer : typeof answer === "string" ? [answer] : [];
  const words = options ? own : answer;
  const text = typeof words === "string" ? clipped(words.trim()) : "";
  return chosen.length === 0 && text === "" ? undefined : { chosen, text };
}

function clipped(text: string): string {
  const left = text.length - MAX_OWN_WORDS;
  return left <= 0 ? text : `${text.slice(0, MAX_OWN_WORDS)}\n… ${left} characters left out …`;
}
