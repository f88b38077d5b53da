import type { Front } from "./ports.ts";

/** The part of a front that asks, where no user is there: for sessions that nobody looks at. */
export const absentUser: Pick<Front, "elicit" | "elicitationDone" | "choose"> = {
  elicit: () => Promise.resolve({ action: "nobody" }),
  elicitationDone: () => {},
  choose: () => Promise.resolve({ action: "nobody" }),
};
