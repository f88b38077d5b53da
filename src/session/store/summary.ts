import { oneLine } from "../../errors.ts";
import type { LoggedEvent, PromptPart, SessionEvent } from "../event.ts";

/** What a list tells of a session: a projection of its log, kept beside it so that a list reads no logs. */
export interface Summary {
  readonly id: string;
  /** Absolute, as the client gave it; empty where the log does not say. */
  readonly cwd: string;
  /** Further directories of the workspace. */
  readonly roots: readonly string[];
  /** Undefined until there was a prompt with words in it. */
  readonly title: string | undefined;
  /** Milliseconds since the epoch; never goes back, whatever the clock does. */
  readonly updated: number;
  /** Only sessions that were prompted are listed. */
  readonly prompted: boolean;
}

/** Characters of a title that is made from a prompt, or by the model. */
export const TITLE_LENGTH = 80;

/** The events that change a summary. The many small ones of a turn do not: its start and end are enough. */
const TELLING: readonly SessionEvent["type"][] = [
  "session.created",
  "session.moved",
  "session.forked",
  "roots.set",
  "title.set",
  "turn.started",
  "turn.ended",
];

/** Does an event change its session's summary? */
export function changesSummary(event: SessionEvent): boolean {
  return TELLING.includes(event.type);
}

/** The summary of a session of which nothing is known yet. */
export function emptySummary(id: string): Summary {
  return { id, cwd: "", roots: [], title: undefined, updated: 0, prompted: false };
}

/** The summary after one more event. Pure. */
export function summarize(before: Summary, { event, time }: Pick<LoggedEvent, "event" | "time">): Summary {
  const summary = { ...before, updated: Math.max(before.updated, time) };
  switch (event.type) {
    case "session.created":
    case "session.moved":
      return { ...summary, cwd: event.cwd };
    case "session.forked":
      return { ...summary, title: summary.title && forkTitle(summary.title) };
    case "roots.set":
      return { ...summary, roots: event.roots };
    case "title.set":
      return { ...summary, title: cutTitle(oneLine(event.title, 1000)) };
    case "turn.started":
      return { ...summary, prompted: true, title: summary.title ?? titleOf(event) };
    case "turn.ended":
      return summary;
    default:
      return before;
  }
}

/** What this program answers by itself names no conversation. */
function titleOf(event: Extract<SessionEvent, { type: "turn.started" }>): string | undefined {
  return event.modelText === null ? undefined : promptTitle(event.prompt);
}

/**
 * The first words of a prompt, with the names of what stands between them, cut between words. What stands before
 * them, such as the file that an editor always sends, gives its name only where there are no words at all.
 */
function promptTitle(prompt: readonly PromptPart[]): string | undefined {
  const first = prompt.findIndex((part) => part.type === "text" && part.text.trim() !== "");
  const said = first < 0
    ? prompt.map(nameOf).filter((name) => name.trim() !== "").join(", ")
    : prompt.slice(first).map(nameOf).join(" ");
  const line = oneLine(said.slice(0, 1000).replace(/\s+(?=[,.;:!?](\s|$))/g, ""), 1000);
  return line === "" ? undefined : cutTitle(line);
}

function nameOf(part: PromptPart): string {
  if (part.type === "text") return part.text.slice(0, 1000);
  if (part.type === "link") return part.name;
  const url = URL.parse(part.uri ?? "");
  if (!url) return part.uri?.slice(0, 100) ?? "";
  return url.searchParams.get("name") ?? lastName(url.pathname);
}

function lastName(pathname: string): string {
  const name = pathname.slice(pathname.lastIndexOf("/", pathname.length - 2) + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Cut between words where it is too long for a list. */
function cutTitle(line: string): string {
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line;
  const cut = characters.slice(0, TITLE_LENGTH - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut}…`;
}

function forkTitle(title: string): string {
  return title.endsWith(" (fork)") ? title : `${title} (fork)`;
}
