import type TurndownService from "turndown";

/** Tables, task lists and strike-through; the package has no types of its own. */
export const gfm: (service: TurndownService) => void;
