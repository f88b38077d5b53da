import type { Form, FormContent } from "./ask/form.ts";

/** Something that the user is to fill in, or a page that they are to visit. */
export type Elicitation =
  | { readonly mode: "form"; readonly message: string; readonly form: Form }
  /** `url` is http or https; `id`, which no other visit has, names the visit until it is told to be over. */
  | { readonly mode: "url"; readonly message: string; readonly url: string; readonly id: string };

/** Why there is no answer. */
export type NoAnswer =
  /** The user said no. */
  | "decline"
  /** The user put the question away, or the turn was cancelled. */
  | "cancel"
  /** The client cannot show this: it may be asked in another way. */
  | "unsupported"
  /** The client was asked, and what came back is of no use. */
  | "failed"
  /** There is no user who could be asked in any way. */
  | "nobody";

/** What came of an elicitation. `content` fits the form; for a page it is empty, and means the user's leave. */
export type Elicited =
  | { readonly action: "accept"; readonly content: FormContent }
  | { readonly action: NoAnswer };

/** A question about an announced call whose card says all of it: one of a few options. */
export interface Choice {
  /** In the order in which the card numbers them; `unsupported` where they are more than a client can show. */
  readonly options: readonly string[];
}

/** What came of a choice; `index` is the option's, `decline` is "none of these". */
export type Chosen =
  | { readonly action: "accept"; readonly index: number }
  | { readonly action: NoAnswer };

/** The user, as a tool can reach them. Nothing here rejects; all is settled soon after the call is cancelled. */
export interface User {
  elicit(elicitation: Elicitation): Promise<Elicited>;
  /** The visit to the page of this id is over; harmless for one that the user did not make. */
  elicitationDone(id: string): void;
  choose(choice: Choice): Promise<Chosen>;
}
