import type {
  SessionUpdate,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { FinishReason } from "../model/model.ts";
import type { SessionEvent } from "../session/event.ts";
import type { JobOutcome } from "../bash/jobs.ts";
import { reportForUser } from "../tool/job/job_text.ts";
import { emptySummary, summarize, type Summary } from "../session/store/summary.ts";
import { rawArguments, type ToolRegistry } from "../tool/registry.ts";
import type { Block, CallView, Location } from "../tool/view.ts";
import {
  CAPTION_BYTES,
  clip,
  clipValue,
  CONTENT_BYTES,
  IMAGE_BYTES,
  INPUT_BYTES,
  jsonBytes,
  NAME_BYTES,
  PATH_BYTES,
  splitText,
  TITLE_BYTES,
} from "./bounds.ts";
import { ChildCard } from "./child_card.ts";
import { CompactionDisplay } from "./compaction.ts";
import { ConsoleCard } from "./console_card.ts";
import { blocksContent, promptContent, textContent } from "./content.ts";
import { presentPlan } from "./plan.ts";
import { UsageDisplay } from "./usage.ts";

/** What a client can draw, read once from its capabilities. */
export interface Drawing {
  /** Terminal cards under this `_meta` key, or none. */
  readonly terminal: "terminal_output" | "terminal_output_delta" | undefined;
  /** Does it show notices beside the conversation? */
  readonly notices: boolean;
  /** Does it show a compaction as such? */
  readonly compaction: boolean;
}

/** What a presenter is made for. */
export interface PresenterOptions {
  readonly drawing: Drawing;
  readonly tools: ToolRegistry;
  /** The session's directory, absolute. */
  readonly cwd: string;
  /** Replay: the user's messages are shown too, and notices that a client would have shown beside are not. */
  readonly replay: boolean;
}

/** A call that has not ended yet. */
interface OpenCall {
  /** `drafted`: the model is still writing it. */
  readonly state: "drafted" | "called";
  readonly name: string;
  readonly args: string;
  readonly view: CallView;
  /** Only for clients without terminal cards. */
  readonly console: ConsoleCard | undefined;
  /** Only for calls that a child works for, from its first event on. */
  child?: ChildCard;
}

type Drafted = Extract<SessionEvent, { type: "tool.drafted" }>;
type Called = Extract<SessionEvent, { type: "tool.called" }>;
type Ended = Extract<SessionEvent, { type: "tool.ended" }>;

/**
 * Turns a session's events into the client's updates. Deterministic and free of effects: the same events
 * give the same updates, live and on replay. Total: every event has its case.
 */
export class Presenter {
  readonly #options: PresenterOptions;
  readonly #open = new Map<string, OpenCall>();
  readonly #usage = new UsageDisplay();
  readonly #compaction: CompactionDisplay;
  #summary: Summary = emptySummary("");
  /** The title that the client was told last. */
  #toldTitle: string | undefined;

  constructor(options: PresenterOptions) {
    this.#options = options;
    this.#compaction = new CompactionDisplay(options.drawing.compaction);
  }

  /** The updates for the next event; none for what a client need not know. */
  present(event: SessionEvent): SessionUpdate[] {
    this.#summary = summarize(this.#summary, { event, time: 0 });
    const usage = this.#usage.present(event);
    switch (event.type) {
      case "turn.started":
      case "steered":
        return this.#options.replay ? userMessage(event.messageId, event.prompt.flatMap(promptContent)) : [];
      case "answered":
      case "text":
        return splitText(event.text).map((text) =>
          messageChunk("agent_message_chunk", event.messageId, text)
        );
      case "thought":
        return splitText(event.text).map((text) =>
          messageChunk("agent_thought_chunk", event.messageId, text)
        );
      case "tool.drafted":
        return this.#options.tools.hasCard(event.name) ? [this.#drafted(event)] : [];
      case "tool.called":
        return this.#options.tools.hasCard(event.name) ? [this.#called(event)] : [];
      case "tool.started":
        return this.#open.has(event.callId)
          ? [update({ toolCallId: event.callId, status: "in_progress" })]
          : [];
      case "tool.output":
        return this.#output(event.callId, event.text);
      case "tool.ended":
        return this.#ended(event);
      case "plan.set":
        return [presentPlan(event.entries)];
      case "child":
        return this.#childEvent(event.callId, event.event);
      case "model.called":
      case "compaction.pruned":
        return usage;
      case "model.replied":
        return [...(hasWholeCalls(event.finish) ? [] : this.#dropDrafts()), ...usage];
      case "model.failed":
        return this.#dropDrafts();
      case "notice":
        return this.#notice(event.messageId, event.severity, event.text);
      case "job.ended":
        return event.inResult
          ? []
          : this.#notice(event.messageId, jobSeverity(event.outcome), reportForUser(event));
      case "compaction.started":
      case "compaction.text":
      case "compaction.done":
      case "compaction.failed":
        return [...this.#compaction.present(event), ...usage];
      case "session.created":
      case "session.moved":
      case "session.forked":
      case "roots.set":
      case "preset.set":
      case "model.set":
      case "thought.set":
      case "system.set":
      case "job.started":
      case "told":
      case "file.changed":
      case "undo.started":
      case "undo.done":
        return [];
      case "title.set":
        return this.#title();
      case "turn.ended":
        return [...this.#dropDrafts(), ...this.#title()];
    }
  }

  /** The session's title where it is news: after the first turn, and when it changes. */
  #title(): SessionUpdate[] {
    const { title } = this.#summary;
    if (title === undefined || title === this.#toldTitle) return [];
    this.#toldTitle = title;
    return [{ sessionUpdate: "session_info_update", title }];
  }

  /** An open call's card again, for a permission request; undefined for a call that is not open. */
  card(callId: string): ToolCallUpdate | undefined {
    const call = this.#open.get(callId);
    return call && this.#card(callId, call);
  }

  /** A call that is being written: announced at its first draft, filled up by the next ones. */
  #drafted(event: Drafted): SessionUpdate {
    const announced = this.#open.has(event.callId);
    const call = this.#opened("drafted", event);
    return announced ? update(this.#card(event.callId, call)) : this.#announced(event.callId, call);
  }

  /** A whole call. A terminal's directory is read from announcements only: another one needs that anew. */
  #called(event: Called): SessionUpdate {
    const draft = this.#open.get(event.callId);
    const call = this.#opened("called", event);
    const hasMoved = this.#options.drawing.terminal && draft?.view.terminal?.cwd !== call.view.terminal?.cwd;
    return draft && !hasMoved ? update(this.#card(event.callId, call)) : this.#announced(event.callId, call);
  }

  #opened(state: OpenCall["state"], event: Drafted | Called): OpenCall {
    const { callId, name, args } = event;
    const { tools, cwd, drawing } = this.#options;
    const view = tools.presentCall(name, args, { cwd }, "facts" in event ? event.facts : undefined);
    const console = view.terminal && !drawing.terminal ? new ConsoleCard() : undefined;
    const call: OpenCall = { state, name, args, view, console };
    this.#open.set(callId, call);
    return call;
  }

  #announced(callId: string, call: OpenCall): SessionUpdate {
    const terminal = call.view.terminal && this.#options.drawing.terminal
      ? { _meta: { terminal_info: { terminal_id: callId, cwd: clip(call.view.terminal.cwd, PATH_BYTES) } } }
      : {};
    return { sessionUpdate: "tool_call", ...this.#card(callId, call), ...terminal };
  }

  /** The reply is over, and these calls never became whole. */
  #dropDrafts(): SessionUpdate[] {
    const drafts = [...this.#open].filter(([, call]) => call.state === "drafted");
    return drafts.map(([toolCallId, { view }]) => {
      this.#open.delete(toolCallId);
      const content = [...blocksContent(view.blocks), textContent(DROPPED)];
      return update({ toolCallId, status: "failed", content });
    });
  }

  #card(callId: string, { name, args, view }: OpenCall): ToolCall {
    const terminal: ToolCallContent[] = view.terminal && this.#options.drawing.terminal
      ? [{ type: "terminal", terminalId: callId }]
      : [];
    return {
      toolCallId: callId,
      title: clip(view.title, TITLE_BYTES),
      name: clip(name, NAME_BYTES),
      kind: view.kind,
      status: "pending",
      content: [...blocksContent(view.blocks), ...terminal],
      ...(view.locations.length > 0 ? { locations: locationsOf(view.locations) } : {}),
      rawInput: clipValue(rawArguments(args), INPUT_BYTES),
    };
  }

  #output(callId: string, text: string): SessionUpdate[] {
    const call = this.#open.get(callId);
    if (!call) return [];
    if (!call.view.terminal) return [this.#progress(callId, call, text)];
    if (!call.console) return this.#terminalOutput(callId, text);
    return call.console.push(text)
      ? [update({ toolCallId: callId, status: "in_progress", content: consoleContent(call, call.console) })]
      : [];
  }

  #childEvent(callId: string, event: SessionEvent): SessionUpdate[] {
    const call = this.#open.get(callId);
    if (!call) return [];
    const { tools, cwd } = this.#options;
    call.child ??= new ChildCard(tools, { cwd });
    return call.child.push(event) ? this.progress(callId) : [];
  }

  /** What a child has come to so far, for the card of the open call that it works for; else nothing. */
  progress(callId: string): SessionUpdate[] {
    const { view, child } = this.#open.get(callId) ?? {};
    if (!view || !child) return [];
    const content = [textContent(clip(child.text(), CONTENT_BYTES))];
    return [update({ toolCallId: callId, status: "in_progress", ...captionOf(view), content })];
  }

  /** How far a call is that has no terminal: what it said last, below what the card shows. */
  #progress(toolCallId: string, { view }: OpenCall, text: string): SessionUpdate {
    const content = [...blocksContent(view.blocks), textContent(clip(text, CAPTION_BYTES))];
    return update({ toolCallId, status: "in_progress", content });
  }

  #terminalOutput(callId: string, text: string): SessionUpdate[] {
    const key = this.#options.drawing.terminal;
    if (!key) return [];
    return splitText(text).map((data) =>
      update({ toolCallId: callId, status: "in_progress", _meta: { [key]: { terminal_id: callId, data } } })
    );
  }

  #ended(event: Ended): SessionUpdate[] {
    const { tools, cwd, drawing } = this.#options;
    const call = this.#open.get(event.callId);
    this.#open.delete(event.callId);
    if (!call) return [];
    const { callId: toolCallId, status } = event;
    const outcome = { ...event, isError: status === "failed" };
    const view = tools.presentResult(call.name, call.args, outcome, { cwd });
    if (call.view.terminal && drawing.terminal) {
      // In one update: a call that was refused is never shown as running.
      const _meta = {
        ...(view.terminalNote
          ? { [drawing.terminal]: { terminal_id: toolCallId, data: clip(view.terminalNote, CAPTION_BYTES) } }
          : {}),
        ...(view.exit ? { terminal_exit: { terminal_id: toolCallId, ...exitMeta(view.exit) } } : {}),
      };
      return [update({ toolCallId, status, ...(Object.keys(_meta).length > 0 ? { _meta } : {}) })];
    }
    if (call.console) {
      const content = consoleContent(call, call.console, view.exitNote);
      return [update({ toolCallId, status, content })];
    }
    return [update({
      toolCallId,
      status,
      ...(call.child ? captionOf(call.view) : {}),
      ...(view.title ? { title: clip(view.title, TITLE_BYTES) } : {}),
      ...(view.blocks ? { content: blocksContent(view.blocks, roomFor(view.blocks)) } : {}),
      ...(view.locations ? { locations: locationsOf(view.locations) } : {}),
    })];
  }

  #notice(messageId: string, severity: "info" | "warning" | "error", text: string): SessionUpdate[] {
    const shown = clip(text, CONTENT_BYTES);
    if (!this.#options.drawing.notices) {
      return [messageChunk("agent_message_chunk", messageId, `${shown}\n\n`)];
    }
    return this.#options.replay ? [] : [{ sessionUpdate: "notice", severity, title: shown }];
  }
}

/** What a card says whose call broke off while it was written. */
const DROPPED = "Not run: the reply ended before this call was whole.";

/** The calls of all other replies may be cut, and are never run. */
function hasWholeCalls(finish: FinishReason): boolean {
  return finish === "stop" || finish === "tool-calls";
}

function roomFor(blocks: readonly Block[]): number {
  return blocks.some((block) => block.type === "image") ? IMAGE_BYTES : CONTENT_BYTES;
}

/** What a question of the child may have changed in the card of its parent's call. */
function captionOf({ title, kind }: CallView): Pick<ToolCallUpdate, "title" | "kind"> {
  return { title: clip(title, TITLE_BYTES), kind };
}

function jobSeverity(outcome: JobOutcome): "info" | "warning" {
  return "exit" in outcome && "code" in outcome.exit && outcome.exit.code === 0 ? "info" : "warning";
}

function messageChunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string,
): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

function userMessage(messageId: string, blocks: ReturnType<typeof promptContent>): SessionUpdate[] {
  return blocks.map((content) => ({ sessionUpdate: "user_message_chunk", messageId, content }));
}

function update(fields: ToolCallUpdate): SessionUpdate {
  return { sessionUpdate: "tool_call_update", ...fields };
}

function consoleContent(call: OpenCall, console: ConsoleCard, exitNote?: string): ToolCallContent[] {
  const texts = [console.text(), clip(exitNote ?? "", CAPTION_BYTES)].filter((t) => t !== "");
  return [
    ...blocksContent(call.view.blocks, CAPTION_BYTES),
    ...(texts.length > 0 ? [textContent(texts.join("\n\n"))] : []),
  ];
}

/** Changed places of one call that a client is told; the rest adds nothing that the diff does not show. */
const MAX_LOCATIONS = 50;

function locationsOf(locations: readonly Location[]): ToolCallLocation[] {
  return locations.slice(0, MAX_LOCATIONS)
    .filter(({ path }) => jsonBytes(path) * Math.min(locations.length, MAX_LOCATIONS) <= PATH_BYTES * 2)
    .map(({ path, line }) => line === undefined ? { path } : { path, line });
}

/** Clients read a non-negative integer, or the name of a signal. */
function exitMeta(exit: { readonly code: number } | { readonly signal: string }): Record<string, unknown> {
  return "code" in exit ? { exit_code: exit.code } : { signal: exit.signal };
}
