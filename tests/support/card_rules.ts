import { isAbsolute } from "@std/path";
import { declares } from "./capabilities.ts";
import { toolContent } from "./updates.ts";
import type { Fields, Update } from "./wire.ts";

const FINAL = new Set<unknown>(["completed", "failed"]);

/** The life of the tool calls of one session: announced once, then updated, then settled for good. */
export class CardRules {
  readonly #status = new Map<string, unknown>();

  /** What is wrong with the next update. */
  see(update: Update): string[] {
    const id = update.toolCallId!;
    const faults = [];
    const known = this.#status.has(id);
    // A terminal's directory is only read from an announcement: one that was drafted for another comes again.
    const moved = update._meta?.terminal_info && this.#status.get(id) === "pending";
    if (update.sessionUpdate === "tool_call" && known && !moved) {
      faults.push(`tool call ${id} was announced twice`);
    }
    if (update.sessionUpdate === "tool_call_update" && !known) {
      faults.push(`tool call ${id} was not announced`);
    }
    if (FINAL.has(this.#status.get(id))) faults.push(`tool call ${id} was updated after its end`);
    if (!update.status) faults.push(`${update.sessionUpdate} ${id} without status`);
    this.#status.set(id, update.status);
    return faults;
  }

  isOpen(id: string | undefined): boolean {
    return id !== undefined && this.#status.has(id) && !FINAL.has(this.#status.get(id));
  }

  /** The calls that were announced and did not end. */
  unsettled(): string[] {
    return [...this.#status].filter(([, status]) => !FINAL.has(status)).map(([id]) => id);
  }
}

/** What is wrong with one tool call update by itself, for a client with these capabilities. */
export function cardFaults(update: Update, capabilities: Fields): string[] {
  return [...pathFaults(update), ...executeFaults(update), ...terminalFaults(update, capabilities)]
    .map((fault) => `${update.sessionUpdate} ${update.toolCallId}: ${fault}`);
}

function pathFaults(update: Update): string[] {
  const faults = [];
  for (const { path } of update.locations ?? []) {
    if (!isAbsolute(path)) faults.push(`location ${path} is relative`);
  }
  for (const entry of toolContent(update)) {
    if (entry.type !== "diff") continue;
    if (!isAbsolute(entry.path!)) faults.push(`diff of relative path ${entry.path}`);
    if (entry.oldText === null) faults.push("diff whose oldText is null: some clients break on it");
  }
  return faults;
}

function executeFaults(update: Update): string[] {
  if (update.kind !== "execute") return [];
  const faults = [];
  if (update.locations) faults.push("an execute call with locations");
  if (update.rawOutput !== undefined) faults.push("an execute call with rawOutput");
  return faults;
}

function terminalFaults(update: Update, capabilities: Fields): string[] {
  const meta = update._meta ?? {};
  const output = declares(capabilities, "_meta.terminal_output");
  const delta = declares(capabilities, "_meta.terminal_output_delta") && !output;
  const faults = [];
  const keys = (["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"] as const)
    .filter((key) => meta[key]);
  for (const key of keys) {
    if (meta[key]!.terminal_id !== update.toolCallId) faults.push(`${key} of another terminal`);
    if (!output && !delta) faults.push(`${key} was never declared`);
  }
  if (meta.terminal_output && delta) faults.push("terminal_output for a client that knows only the delta");
  if (meta.terminal_output_delta && !delta) faults.push("terminal_output_delta was never declared");
  if (keys.length > 0 && update.sessionUpdate === "tool_call_update" && update.content) {
    faults.push("content in an update of a terminal would replace the terminal");
  }
  if (toolContent(update).some((c) => c.type === "terminal") && !output && !delta) {
    faults.push("terminal content was never declared");
  }
  return [...faults, ...exitFaults(meta.terminal_exit)];
}

function exitFaults(exit: NonNullable<Update["_meta"]>["terminal_exit"]): string[] {
  if (!exit) return [];
  const code = exit.exit_code ?? undefined;
  if ((code === undefined) === !exit.signal) {
    return ["terminal_exit has not exactly one of exit_code and signal"];
  }
  return code === undefined || Number.isInteger(code) && code >= 0 ? [] : [`exit_code ${code}`];
}
