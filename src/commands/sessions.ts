import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { AgentError } from "../errors.ts";
import { silentLog } from "../log.ts";
import { databasePath, SqliteStore } from "../session/store/sqlite_store.ts";
import { StateDir } from "../session/store/state_dir.ts";
import type { Summary } from "../session/store/summary.ts";
import { harmless, print } from "./print.ts";
import { eventOf, sessionText } from "./session_text.ts";
import { readCommandLine, usage } from "./settings.ts";

/** What can be done, and whether it takes an id. */
const ACTIONS: Readonly<Record<string, "one" | "all">> = {
  list: "all",
  show: "one",
  export: "one",
  delete: "one",
};

/** `dsh-acp sessions`: what was said in earlier sessions, to read, to keep elsewhere, to remove. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, values, words } = await readCommandLine(args, {
    "json": { type: "boolean", default: false },
  });
  const [action = "list", id, ...rest] = words;
  const takes = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (takes === undefined || rest.length > 0 || (takes === "one") !== (id !== undefined)) {
    throw usage("sessions takes: list [--json], or one of show, export and delete with an ID.");
  }
  const config = await loadConfig(overrides);
  const store = await openStore(config.stateDir);
  try {
    const json = values.json === true;
    if (id === undefined) list(store?.list({ limit: Number.MAX_SAFE_INTEGER }) ?? [], json);
    else await one(action, id, { config, store, json });
    return 0;
  } finally {
    store?.close();
  }
}

/** The store, where there is one: looking must not make any. */
async function openStore(stateDir: string): Promise<SqliteStore | undefined> {
  const there = await Deno.stat(databasePath(stateDir)).then(() => true, () => false);
  return there ? new SqliteStore(stateDir) : undefined;
}

interface Scene {
  readonly config: Config;
  readonly store: SqliteStore | undefined;
  readonly json: boolean;
}

async function one(action: string, id: string, { config, store, json }: Scene): Promise<void> {
  const rows = store?.rows(id) ?? [];
  const summary = store?.summary(id);
  if (rows.length === 0) {
    throw new AgentError(
      "session-not-found",
      `There is no session "${id}": dsh-acp sessions list shows them.`,
    );
  }
  if (action === "delete") {
    await remove(config, id);
    return print(json ? JSON.stringify({ deleted: id }) : `Deleted: ${id}`);
  }
  const lines = rows.map((row) => {
    const event = eventOf(row);
    return { seq: row.seq, time: isoTime(row.time), ...(event ? { event } : { unread: row.event }) };
  });
  if (action === "export") return print(lines.map((line) => JSON.stringify(line)).join("\n"));
  if (json) {
    return print(JSON.stringify({ ...(summary ? facts(summary) : { sessionId: id }), events: lines }));
  }
  const head = `# ${harmless(summary?.title ?? id)}\n\n${id}\n${harmless(summary?.cwd ?? "")}`;
  print(`${head}\n\n${sessionText(rows, summary?.cwd ?? "/")}`);
}

async function remove(config: Config, id: string): Promise<void> {
  const state = new StateDir({ config, log: silentLog });
  try {
    await state.remove(id);
  } finally {
    await state.close();
  }
}

function list(all: readonly Summary[], json: boolean): void {
  if (json) return print(JSON.stringify(all.map(facts)));
  if (all.length === 0) return print("There are no sessions.");
  const rows = all.map(({ id, updated, cwd, title = "" }) =>
    [id, localTime(updated), cwd, title].map((cell) => harmless(cell).replace(/\s+/g, " "))
  );
  print(table([["ID", "UPDATED", "WORKSPACE", "TITLE"], ...rows]));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd()).join("\n");
}

function facts({ id, cwd, roots, title, updated }: Summary): Record<string, unknown> {
  return {
    sessionId: id,
    cwd,
    additionalDirectories: roots,
    title: title ?? null,
    updatedAt: isoTime(updated),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** `2026-01-31 14:05`, as the user's clock shows it. */
function localTime(ms: number): string {
  const zone = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - zone).toISOString().slice(0, 16).replace("T", " ");
}
