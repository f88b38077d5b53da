import { isAbsolute } from "@std/path/is-absolute";
import { AgentError } from "../../errors.ts";
import { isSessionId } from "../ids.ts";
import type { After, SessionStore } from "./store.ts";
import type { Summary } from "./summary.ts";

/** Sessions on one page of a list. */
const PAGE_SIZE = 50;

/** What is asked of a list. */
export interface ListRequest {
  /** Only sessions that work in this place, by whatever name. */
  readonly cwd?: string | undefined;
  /** Where the page begins, as an earlier page told. */
  readonly cursor?: string | undefined;
}

/** One page of a list. */
export interface Page {
  readonly sessions: readonly Summary[];
  /** Are there more behind it? */
  readonly more: boolean;
}

/**
 * One page, newest first; see {@linkcode cursorBehind} for the next one.
 * @throws AgentError("invalid-params") for a relative cwd or a cursor that no page told.
 */
export async function listSessions(store: SessionStore, request: ListRequest): Promise<Page> {
  const after = request.cursor === undefined ? undefined : parseCursor(request.cursor);
  const cwds = request.cwd === undefined ? undefined : await spellings(store, request.cwd);
  const found = store.list({ cwds, after, limit: PAGE_SIZE + 1 }); // one more than is shown
  const sessions = found.slice(0, PAGE_SIZE).filter((s) => isAbsolute(s.cwd));
  return { sessions, more: found.length > PAGE_SIZE };
}

/** The cursor of the page that begins behind a session. */
export function cursorBehind({ updated, id }: After): string {
  return btoa(JSON.stringify([updated, id])).replaceAll("=", "");
}

function parseCursor(cursor: string): After {
  try {
    const value: unknown = JSON.parse(atob(cursor));
    if (Array.isArray(value) && value.length === 2) {
      const [updated, id] = value;
      if (Number.isSafeInteger(updated) && isSessionId(String(id))) return { updated, id: String(id) };
    }
  } catch { /* not made by us */ }
  throw new AgentError("invalid-params", "`cursor` is none that a list of sessions has told: leave it out.");
}

/** All the spellings in the list of the place that `cwd` names; by its text where that place is gone. */
async function spellings(store: SessionStore, cwd: string): Promise<string[]> {
  if (!isAbsolute(cwd)) {
    throw new AgentError("invalid-params", `\`cwd\` must be an absolute path, but is "${cwd}".`);
  }
  const wanted = await place(cwd);
  const known = store.cwds();
  const places = await Promise.all(known.map(place));
  return known.filter((_, i) => places[i] === wanted);
}

async function place(path: string): Promise<string> {
  return await Deno.realPath(path).catch(() => path.replace(/(?<=.)\/+$/, ""));
}
