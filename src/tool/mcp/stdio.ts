import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { readLines } from "../../bash/lines.ts";
import { oneLine } from "../../errors.ts";
import { plainLineOf } from "./text.ts";
import { type ProcessStart, ServerProcess } from "./process.ts";

/** Bytes of the longest message; a longer one ends the connection. */
const MAX_MESSAGE = 16 * 1024 * 1024;
/** Messages a second beyond which a server has to wait: it must not keep the agent from all else. */
const MAX_RATE = 2_000;
/** Characters of what a server printed or said, in an error. */
const MAX_SAID = 300;

/**
 * Messages over the stdio of a process, one JSON object a line. What is no message is skipped: some servers print
 * banners. It differs from the SDK's own transport in that the process has a group of its own, which ends with it,
 * and in what it says of its end.
 */
export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  readonly #start: ProcessStart;
  #process: ServerProcess | undefined;
  #garbage = "";
  /** Why it was ended from here. */
  #fault: string | undefined;
  #how: string | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(start: ProcessStart) {
    this.#start = start;
  }

  async start(): Promise<void> {
    const process = this.#process = await ServerProcess.start(this.#start);
    const read = this.#read(process);
    this.#ended = process.ended.then(async (how) => {
      await read;
      this.#how = how;
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process) throw new Error("it is not started");
    await this.#process.write(JSON.stringify(message) + "\n");
  }

  async close(): Promise<void> {
    await this.#process?.close();
  }

  /** Resolves when the process has ended, or after a time. */
  async endedWithin(ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([late, this.#ended]);
    clearTimeout(timer);
  }

  get hasEnded(): boolean {
    return this.#how !== undefined;
  }

  /** What is known of its end or its silence: the exit, and the last that it said or printed. Empty where nothing is. */
  get account(): string {
    const said = plainLineOf((this.#process?.stderr ?? "").trim().split("\n").slice(-3).join(" "), MAX_SAID);
    const parts = [
      this.#fault ?? (this.#how === undefined ? "" : `it ended with ${this.#how}`),
      said === "" ? "" : `it said: ${said}`,
      this.#garbage === "" ? "" : `it printed what is no MCP message: ${this.#garbage}`,
    ];
    return parts.filter((part) => part !== "").join("; ");
  }

  async #read(process: ServerProcess): Promise<void> {
    let [second, count] = [Date.now(), 0];
    try {
      for await (const line of readLines(process.output(), MAX_MESSAGE)) {
        this.#take(line);
        if (++count < MAX_RATE) continue;
        const rest = second + 1000 - Date.now();
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
        [second, count] = [Date.now(), 0];
      }
    } catch (e) {
      if (!(e instanceof RangeError)) return; // it is gone
      this.#fault = `it sent a message of more than ${MAX_MESSAGE / 1024 / 1024} MiB`;
      process.kill();
    }
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    if (message === undefined) {
      if (this.#garbage === "") this.#garbage = plainLineOf(line.slice(0, MAX_SAID), MAX_SAID);
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (e) {
      this.onerror?.(e instanceof Error ? e : new Error(oneLine(String(e))));
    }
  }
}

/** A message as far as the SDK needs it to look further; undefined for all else. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null &&
      (value as { jsonrpc?: unknown }).jsonrpc === "2.0";
    return isMessage ? value as JSONRPCMessage : undefined;
  } catch {
    return undefined;
  }
}
