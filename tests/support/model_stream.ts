import { counted, type Pace, type Step } from "./model_script.ts";
import type { Fields } from "./wire.ts";

/** What a reply needs from the server that sends it. */
export interface ReplyContext {
  /** The number of the request: makes the ids of calls unique. */
  readonly call: number;
  /** Aborted when the client is gone or the server goes down; every wait then ends. */
  readonly stop: AbortSignal;
  /** True: a piece of the stream ends inside of every character that has several bytes. */
  readonly splitCharacters: boolean;
  gate(name: string): Promise<void>;
  write(bytes: Uint8Array): void;
}

/**
 * Plays the steps of one reply as server-sent events in the shape of DeepSeek's API. Resolves with how the
 * connection is to be ended: well, or broken off.
 */
export async function playReply(steps: readonly Step[], context: ReplyContext): Promise<"end" | "cut"> {
  return await new ReplyWriter(context).play(steps);
}

class ReplyWriter {
  readonly #calls: Fields[] = [];
  #finish: string | undefined;
  /** What was asked to be sent, in order: pieces are sent one after the other so that none are joined again. */
  #sent: Promise<void> = Promise.resolve();

  constructor(readonly context: ReplyContext) {}

  async play(steps: readonly Step[]): Promise<"end" | "cut"> {
    this.#delta({ role: "assistant", content: "", reasoning_content: "" });
    for (const step of steps) {
      if (await this.#step(step) === "cut") return "cut";
      if (this.context.stop.aborted) return "cut";
    }
    const reason = this.#finish ?? (this.#calls.length > 0 ? "tool_calls" : "stop");
    this.#send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    this.#send({
      choices: [],
      usage: { ...usage, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 },
    });
    this.#write("data: [DONE]\n\n");
    await this.#sent;
    return "end";
  }

  async #step(step: Step): Promise<"cut" | void> {
    switch (step[0]) {
      case "text":
        return await this.#text((piece) => ({ content: piece }), step[1], step[2]);
      case "count":
        return await this.#text((piece) => ({ content: piece }), counted(step[1]), step[2]);
      case "think":
        return await this.#text((piece) => ({ reasoning_content: piece }), step[1], step[2]);
      case "wait":
        return await this.#sleep(step[1]);
      case "gate":
        return await this.#untilStopped(this.context.gate(step[1]));
      case "finish":
        this.#finish = step[1];
        return;
      case "stall":
        return await this.#untilStopped(new Promise<void>(() => {}));
      case "cut":
        await this.#sleep(100); // what was sent before has to arrive before the connection breaks
        return "cut";
      case "half":
        this.#call(step[1], step[2].slice(0, step[2].length >> 1));
        await this.#sleep(100);
        return "cut";
      case "held": {
        const [first = "", second = ""] = piecesOf(JSON.stringify(step[2]), 2);
        this.#call(step[1], first);
        await this.#untilStopped(this.context.gate(step[3]));
        return this.#delta({
          tool_calls: [{ index: this.#calls.length - 1, function: { arguments: second } }],
        });
      }
      case "raw":
        return this.#call(step[1], step[2]);
      case "bash":
        return this.#call("bash", JSON.stringify({ command: step[1], ...step[2] }));
      case "tool":
        return this.#call(step[1], JSON.stringify(step[2] ?? {}));
      case "par":
        for (const call of step[1]) await this.#step(call);
        return;
    }
  }

  async #text(delta: (piece: string) => Fields, text: string, pace: Pace = {}): Promise<void> {
    for (const piece of piecesOf(text, pace.chunks ?? 1)) {
      this.#delta(delta(piece));
      if (pace.ms) await this.#sleep(pace.ms);
      if (this.context.stop.aborted) return;
    }
  }

  /** The name first, the arguments in two pieces after it, as servers send them. */
  #call(name: string, args: string): void {
    const index = this.#calls.length;
    const id = `call_${this.context.call}_${index}`;
    this.#calls.push({ id });
    this.#delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (const piece of piecesOf(args, 2)) {
      this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }

  #delta(delta: Fields): void {
    this.#send({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #send(chunk: Fields): void {
    const id = `chat-${this.context.call}`;
    this.#write(
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", model: "mock-model", ...chunk })}\n\n`,
    );
  }

  #write(text: string): void {
    const pieces = this.context.splitCharacters ? splitCharacters(text) : [new TextEncoder().encode(text)];
    for (const piece of pieces) this.#sent = this.#sent.then(() => this.#sendPiece(piece));
  }

  async #sendPiece(piece: Uint8Array): Promise<void> {
    if (this.context.stop.aborted) return;
    this.context.write(piece);
    if (this.context.splitCharacters) await this.#sleep(1);
  }

  #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    return this.#untilStopped(promise).finally(() => clearTimeout(timer));
  }

  #untilStopped(promise: Promise<void>): Promise<void> {
    if (this.context.stop.aborted) return Promise.resolve();
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    this.context.stop.addEventListener("abort", end, { once: true });
    return Promise.race([promise, stopped]).finally(() =>
      this.context.stop.removeEventListener("abort", end)
    );
  }
}

/** The bytes of a text, cut behind the first byte of every character that has several. */
function splitCharacters(text: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  let from = 0;
  bytes.forEach((byte, at) => {
    if (byte < 0xc0) return;
    pieces.push(bytes.subarray(from, at + 1));
    from = at + 1;
  });
  return [...pieces, bytes.subarray(from)];
}

function piecesOf(text: string, count: number): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}
