import { isEventType, type PromptPart, type SessionEvent, type TurnOutcome } from "../session/event.ts";
import { promptText } from "../session/prompt/prompt_text.ts";
import type { StoredRow } from "../session/store/sqlite_store.ts";
import { builtinTools } from "../tool/registry.ts";
import type { PlanEntry } from "../tool/view.ts";
import { harmless } from "./print.ts";

/** A log as people read it: what was asked, what was answered, what was run and what came of it. Pure. */
export function sessionText(rows: readonly StoredRow[], cwd: string): string {
  const text = new Transcript(cwd);
  for (const row of rows) {
    const event = eventOf(row);
    if (event) text.add(event);
    else text.line(`[event ${row.seq} cannot be read]`);
  }
  return text.end();
}

/** The event of a row; undefined for what is damaged or of a later version. */
export function eventOf(row: StoredRow): SessionEvent | undefined {
  try {
    const event = JSON.parse(row.event);
    return isEventType(event?.type) ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Puts the text together, event by event. */
class Transcript {
  readonly #tools = builtinTools();
  readonly #cwd: string;
  readonly #blocks: string[] = [];
  readonly #titles = new Map<string, string>();
  /** Open calls of tools that show by themselves. */
  readonly #undrawn = new Set<string>();
  /** What children did, by the calls that they work for. */
  readonly #children = new Map<string, Transcript>();
  /** The message that is being put together, by its id. */
  #message = { id: "", text: "" };

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  add(event: SessionEvent): void {
    if (event.type === "child") return this.#child(event.callId, event.event);
    if (event.type === "text" || event.type === "answered") return this.#say(event.messageId, event.text);
    if (event.type === "tool.output" || event.type === "thought") return;
    this.#flush();
    if (event.type === "turn.started" || event.type === "steered") {
      this.#blocks.push(`## User\n\n${userText(event.prompt)}`);
    } else if (event.type === "plan.set") this.line(planText(event.entries));
    else if (event.type === "tool.called") this.#announce(event);
    else if (event.type === "tool.ended") {
      if (this.#undrawn.delete(event.callId)) return;
      const text = this.#children.get(event.callId)?.end() ?? event.text;
      this.#blocks.push(`${this.#titles.get(event.callId) ?? "?"}\n${indented(text)}`);
      this.#titles.delete(event.callId);
      this.#children.delete(event.callId);
    } else if (event.type === "notice") this.line(`[${event.text}]`);
    else if (event.type === "turn.ended") this.#ended(event.outcome);
  }

  line(text: string): void {
    this.#flush();
    this.#blocks.push(harmless(text));
  }

  /** The whole text; calls without an end come last. */
  end(): string {
    this.#flush();
    for (const [callId, title] of this.#titles) {
      const child = this.#children.get(callId)?.end() ?? "";
      this.line([title, indented(child), "    [no end was logged]"].filter((part) => part !== "").join("\n"));
    }
    return this.#blocks.join("\n\n");
  }

  #child(callId: string, event: SessionEvent): void {
    const child = this.#children.get(callId) ?? new Transcript(this.#cwd);
    this.#children.set(callId, child);
    child.add(event);
  }

  #announce({ callId, name, args }: Extract<SessionEvent, { type: "tool.called" }>): void {
    if (!this.#tools.hasCard(name)) return void this.#undrawn.add(callId);
    const { terminal, title } = this.#tools.presentCall(name, args, { cwd: this.#cwd });
    this.#titles.set(callId, harmless(terminal ? `$ ${title}` : `* ${title}`));
  }

  #say(id: string, text: string): void {
    if (id !== this.#message.id) this.#flush();
    this.#message = { id, text: this.#message.text + text };
  }

  #flush(): void {
    const text = harmless(this.#message.text).trim();
    this.#message = { id: "", text: "" };
    if (text !== "") this.#blocks.push(`## Agent\n\n${text}`);
  }

  #ended(outcome: TurnOutcome): void {
    if ("failure" in outcome) this.line(`[the turn failed: ${outcome.failure.message}]`);
    else if (outcome.stop !== "end_turn") this.line(`[the turn ended: ${outcome.stop}]`);
  }
}

function userText(prompt: readonly PromptPart[]): string {
  return harmless(promptText(prompt)).trim();
}

const MARKS = { pending: " ", in_progress: "~", completed: "x" } as const;

function planText(entries: readonly PlanEntry[]): string {
  return ["Plan:", ...entries.map(({ status, content }) => `- [${MARKS[status]}] ${content}`)].join("\n");
}

function indented(text: string): string {
  return harmless(text).trimEnd().split("\n").map((line) => line === "" ? "" : `    ${line}`).join("\n");
}
