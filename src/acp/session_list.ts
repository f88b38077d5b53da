import type { ListSessionsRequest, ListSessionsResponse, SessionInfo } from "@agentclientprotocol/sdk";
import { CONSOLE_BYTES, jsonBytes } from "../presentation/bounds.ts";
import { cursorBehind, listSessions } from "../session/store/session_list.ts";
import type { SessionStore } from "../session/store/store.ts";
import type { Summary } from "../session/store/summary.ts";

/** One page of the list that fits into one frame, whatever the paths in it. */
export async function sessionList(
  store: SessionStore,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const page = await listSessions(store, { cwd: cwd ?? undefined, cursor: cursor ?? undefined });
  const sessions: SessionInfo[] = [];
  let left = CONSOLE_BYTES;
  for (const summary of page.sessions) {
    const info = sessionInfo(summary);
    left -= jsonBytes(info);
    if (left < 0 && sessions.length > 0) break;
    sessions.push(info);
  }
  const last = page.sessions[sessions.length - 1];
  const more = page.more || sessions.length < page.sessions.length;
  return { sessions, ...(more && last ? { nextCursor: cursorBehind(last) } : {}) };
}

function sessionInfo({ id, cwd, roots, title, updated }: Summary): SessionInfo {
  return {
    sessionId: id,
    cwd,
    ...(title ? { title } : {}),
    updatedAt: new Date(updated).toISOString(),
    ...(roots.length > 0 && jsonBytes(roots) < CONSOLE_BYTES / 2
      ? { additionalDirectories: [...roots] }
      : {}),
  };
}
