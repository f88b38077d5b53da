import type { Session } from "./session.ts";
import { script, type Step } from "./model_script.ts";
import { type Card, onlyCard } from "./updates.ts";

/** Calls of the file tools. */
export const read = (path: string): Step => ["tool", "read", { path }];
export const write = (path: string, content: string): Step => ["tool", "write", { path, content }];
export const edit = (path: string, old_string: string, new_string: string): Step => [
  ...["tool", "edit"] as const,
  { path, old_string, new_string },
];

/** Runs one call in a turn of its own; gives its card. */
export async function use(session: Session, step: Step): Promise<Card> {
  return onlyCard((await session.run(script(step, ["text", "ok"]))).updates);
}
