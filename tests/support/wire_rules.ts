import { declares } from "./capabilities.ts";
import { cardFaults, CardRules } from "./card_rules.ts";
import { chunkText, isChunk, isTool, isTurnBound } from "./updates.ts";
import { type Fields, isResponse, type Message, type Update, updateIn } from "./wire.ts";

/** What a client must have declared before the agent may call it. */
const GATES: Readonly<Record<string, string>> = {
  "fs/read_text_file": "fs.readTextFile",
  "fs/write_text_file": "fs.writeTextFile",
  "terminal/create": "terminal",
  "elicitation/complete": "elicitation.url",
};

/** What is answered with the id of a new session. */
const BEGINS = new Set<unknown>(["session/new", "session/fork"]);
/** From when these are sent, updates of the session may come. */
const REOPENS = new Set<unknown>(["session/load", "session/resume"]);
/** Behind their answers nothing may be said of the session. */
const ENDS = new Set<unknown>(["session/close", "session/delete"]);

/**
 * What must hold in every conversation whatever it is about, and what no schema can say: it watches both
 * directions in wire order and keeps a list of what was broken.
 */
export class WireRules {
  readonly faults: string[] = [];
  #capabilities: Fields = {};
  /** The requests that are not answered yet, by id. */
  readonly #open = new Map<string, Message>();
  /** Every request ever sent, by id: what the schema check needs to know of a response. */
  readonly #methods = new Map<string, string>();
  readonly #sessions = new Set<unknown>();
  readonly #cards = new Map<unknown, CardRules>();
  readonly #messageKinds = new Map<string, string>();

  /** The method of the request that was sent with this id. */
  methodOf(id: unknown): string | undefined {
    return this.#methods.get(JSON.stringify(id));
  }

  /** To be told of every message that the client sends, at the moment it sends it. */
  sent(message: Message): void {
    if (message.method === undefined || message.id === undefined) return;
    const key = JSON.stringify(message.id);
    this.#open.set(key, message);
    this.#methods.set(key, message.method);
    if (message.method === "initialize") {
      this.#capabilities = (message.params?.clientCapabilities ?? {}) as Fields;
    }
    if (REOPENS.has(message.method)) {
      const id = message.params?.sessionId;
      this.#sessions.add(id);
      this.#cards.delete(id);
    }
  }

  /** To be told of every message that the agent wrote, in the order of its lines. */
  received(message: Message): void {
    if (isResponse(message)) return this.#response(message);
    const update = updateIn(message);
    if (update) return this.#update(message.params?.sessionId, update);
    const gate = GATES[message.method ?? ""] ??
      (message.method?.startsWith("terminal/") ? "terminal" : undefined);
    if (gate && !declares(this.#capabilities, gate)) this.#fault(`${message.method} was never declared`);
    if (message.method === "session/request_permission") this.#permission(message);
    if (message.method === "elicitation/create") this.#elicitation(message);
  }

  #fault(text: string): void {
    this.faults.push(text);
  }

  #response(message: Message): void {
    const key = JSON.stringify(message.id);
    const request = this.#open.get(key);
    if (message.id !== null && !request) this.#fault(`request ${key} was answered twice`);
    this.#open.delete(key);
    if (message.result && BEGINS.has(request?.method)) this.#sessions.add(message.result.sessionId);
    if (message.result && ENDS.has(request?.method)) this.#ended(request!.params?.sessionId);
    if (request?.method !== "session/prompt") return;
    const open = this.#cards.get(request.params?.sessionId)?.unsettled() ?? [];
    if (open.length > 0 && !this.#inTurn(request.params?.sessionId)) {
      this.#fault(`the turn ended with open tool calls: ${open.join(", ")}`);
    }
  }

  /** A load that is already under way opens it again. */
  #ended(sessionId: unknown): void {
    const reopening = [...this.#open.values()].some((m) =>
      REOPENS.has(m.method) && m.params?.sessionId === sessionId
    );
    if (!reopening) this.#sessions.delete(sessionId);
  }

  #update(sessionId: unknown, update: Update): void {
    const what = `${update.sessionUpdate} ${update.toolCallId ?? update.messageId ?? ""}`;
    if (!this.#sessions.has(sessionId)) {
      this.#fault(`${what} for a session before its answer or behind its end`);
    }
    if (isTurnBound(update) && !this.#inTurn(sessionId)) this.#fault(`${what} outside of a turn`);
    if (update.sessionUpdate === "notice" && !declares(this.#capabilities, "session.notices")) {
      this.#fault("a notice that was never declared");
    }
    if (
      update.sessionUpdate.startsWith("compaction_") && !declares(this.#capabilities, "session.compaction")
    ) {
      this.#fault("a compaction that was never declared");
    }
    if (isChunk(update)) this.#chunk(update);
    if (!isTool(update)) return;
    const cards = this.#cards.get(sessionId) ?? new CardRules();
    this.#cards.set(sessionId, cards);
    this.faults.push(...cards.see(update), ...cardFaults(update, this.#capabilities));
  }

  #inTurn(sessionId: unknown): boolean {
    const turns = ["session/prompt", "session/load"];
    return [...this.#open.values()].some((m) =>
      turns.includes(m.method!) && m.params?.sessionId === sessionId
    );
  }

  #chunk(update: Update): void {
    const { messageId, sessionUpdate } = update;
    if (!messageId) return this.#fault(`${sessionUpdate} without messageId`);
    const kind = this.#messageKinds.get(messageId) ?? sessionUpdate;
    this.#messageKinds.set(messageId, kind);
    if (kind !== sessionUpdate) this.#fault(`messageId ${messageId} is both ${kind} and ${sessionUpdate}`);
    if ((update.content as { type: string }).type === "text" && chunkText(update) === "") {
      this.#fault(`an empty ${sessionUpdate}`);
    }
  }

  #permission({ params }: Message): void {
    const call = params?.toolCall as Update;
    if (!this.#cards.get(params?.sessionId)?.isOpen(call?.toolCallId)) {
      this.#fault(`permission for ${call?.toolCallId}, which is no open tool call`);
    }
    if (!call?.title) this.#fault("a permission request without title");
    const kinds = (params?.options as { kind: string }[]).map((option) => option.kind);
    if (new Set(kinds).size !== kinds.length) this.#fault(`two permission options of one kind: ${kinds}`);
  }

  #elicitation({ params }: Message): void {
    const { mode, sessionId, toolCallId } = params ?? {};
    if (!declares(this.#capabilities, `elicitation.${mode}`)) {
      this.#fault(`an elicitation of a mode that was never declared: ${mode}`);
    }
    if (toolCallId !== undefined && !this.#cards.get(sessionId)?.isOpen(String(toolCallId))) {
      this.#fault(`an elicitation for ${toolCallId}, which is no open tool call`);
    }
  }
}
