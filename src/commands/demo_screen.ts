import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { createTwoFilesPatch } from "diff";
import type { DemoScreen } from "./demo_client.ts";

/** Colours that the demo uses; without colour all are empty. */
interface Palette {
  readonly bold: string;
  readonly dim: string;
  readonly red: string;
  readonly green: string;
  readonly cyan: string;
  readonly off: string;
}

const ANSI: Palette = {
  bold: "\x1b[1m",
  dim: "\x1b[2m",
  red: "\x1b[31m",
  green: "\x1b[32m",
  cyan: "\x1b[36m",
  off: "\x1b[0m",
};
const PLAIN: Palette = { bold: "", dim: "", red: "", green: "", cyan: "", off: "" };

type Meta = {
  [key: string]: { cwd?: string; data?: string; exit_code?: number; signal?: string } | undefined;
};

/** Draws a turn as an editor would, in plain lines: text, cards, diffs, terminals with their exit. */
export class TerminalScreen implements DemoScreen {
  readonly #write: (text: string) => void;
  readonly #paint: Palette;
  /** Calls with a terminal. */
  readonly #terminals = new Set<string>();
  /** What the last written line belongs to; a change of it starts a new paragraph. */
  #part = "";
  #lineOpen = false;
  /** The last line is empty: a new part needs no further one before it. */
  #afterBlank = false;

  constructor(write: (text: string) => void, colour: boolean) {
    this.#write = (text) => {
      this.#afterBlank = text.endsWith("\n\n") || (text === "\n" && !this.#lineOpen);
      write(text);
    };
    this.#paint = colour ? ANSI : PLAIN;
  }

  update(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        if (update.content.type === "text") {
          const thought = update.sessionUpdate === "agent_thought_chunk";
          this.#text(update.messageId ?? "", update.content.text, thought ? this.#paint.dim : "");
        }
        return;
      case "tool_call":
        if ((update._meta as Meta | undefined)?.terminal_info) this.#terminals.add(update.toolCallId);
        return this.#header(update.toolCallId, update.title, update._meta as Meta | undefined);
      case "tool_call_update":
        return this.#progress(
          update.toolCallId,
          update.status,
          update.content,
          update._meta as Meta | undefined,
        );
    }
  }

  question(title: string): void {
    this.#line("question", `? ${title} (the demo says no)`, this.#paint.red);
  }

  /** A line of the demo itself. */
  say(text: string): void {
    this.#line(text, text, this.#paint.bold);
  }

  /** Ends the last line. */
  end(): void {
    this.#break();
  }

  #header(id: string, title: string, meta: Meta | undefined): void {
    const cwd = meta?.terminal_info?.cwd;
    if (cwd) this.#line(id, `┌ ${cwd}`, this.#paint.dim);
    this.#line(id, cwd ? `│ $ ${title}` : `● ${title.replaceAll("`", "")}`, this.#paint.cyan);
  }

  #progress(
    id: string,
    status: string | null | undefined,
    content: ToolCallContent[] | null | undefined,
    meta: Meta | undefined,
  ): void {
    const data = meta?.terminal_output?.data;
    if (data) this.#output(id, data);
    for (const block of content ?? []) this.#block(id, block);
    if (status !== "completed" && status !== "failed") return;
    const exit = meta?.terminal_exit;
    const colour = status === "completed" ? this.#paint.green : this.#paint.red;
    if (exit) {
      this.#line(id, `└ [${exit.signal ? `killed by ${exit.signal}` : `exit ${exit.exit_code}`}]`, colour);
    } else if (this.#terminals.has(id)) this.#line(id, `└ [${status}]`, colour);
    else if (status === "failed") this.#line(id, "  [failed]", colour);
  }

  #output(id: string, data: string): void {
    for (const piece of data.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      if (!this.#lineOpen || this.#part !== id) this.#start(id, "│ ");
      this.#write(piece);
      this.#lineOpen = !piece.endsWith("\n");
    }
  }

  #block(id: string, block: ToolCallContent): void {
    if (block.type === "diff") {
      const patch = createTwoFilesPatch("", "", block.oldText ?? "", block.newText).split("\n").slice(4);
      for (const line of patch.filter((l) => l !== "")) {
        const colour = line.startsWith("+") ? this.#paint.green : line.startsWith("-") ? this.#paint.red : "";
        this.#line(id, `  ${line}`, colour);
      }
    } else if (block.type === "content" && block.content.type === "text") {
      const lines = block.content.text.split("\n").filter((line) => !/^`{3,}/.test(line));
      for (const line of lines) this.#line(id, `  ${line}`, this.#paint.dim);
    }
  }

  #text(part: string, text: string, colour: string): void {
    if (this.#part !== part) this.#start(part, "");
    this.#write(colour ? `${colour}${text}${this.#paint.off}` : text);
    this.#lineOpen = !text.endsWith("\n");
  }

  #line(part: string, text: string, colour: string): void {
    this.#start(part, "");
    this.#write(`${colour}${text}${this.#paint.off}\n`);
    this.#lineOpen = false;
  }

  /** Begins a line; a new part is set off by an empty one. */
  #start(part: string, prefix: string): void {
    this.#break();
    if (this.#part !== "" && this.#part !== part && !this.#afterBlank) this.#write("\n");
    this.#part = part;
    this.#write(prefix);
  }

  #break(): void {
    if (this.#lineOpen) this.#write("\n");
    this.#lineOpen = false;
  }
}
