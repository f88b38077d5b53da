import type { McpServerConfig } from "../../config/config.ts";
import type { Tool } from "../tool.ts";
import { serverEnvironment } from "./environment.ts";
import { type McpPrompt, promptsOf } from "./prompts.ts";
import { resourceTool } from "./resources.ts";
import { McpServer, type ServerOptions } from "./server.ts";
import { toolsOf } from "./tools.ts";

/** Milliseconds that the first model call waits for servers that are starting. */
const PATIENCE_MS = 8_000;

/** What a session's servers are made of. */
export interface McpServersOptions extends Pick<ServerOptions, "cwd" | "roots" | "client" | "elicits"> {
  /** The agent's own, of which they are given a part. */
  readonly environment: Readonly<Record<string, string>>;
  /** The tools or prompts that there are have changed. */
  readonly changed: () => void;
}

/** How one server is, for people. */
export interface ServerStatus {
  readonly name: string;
  readonly state: "starting" | "ready" | "down" | "closed";
  /** Why it is down. */
  readonly cause?: string;
  readonly how: "stdio" | "http" | "sse";
  readonly tools: number;
  readonly prompts: number;
  readonly hasResources: boolean;
}

/** For a session that has none. */
export function noServers(cwd: string): McpServers {
  return new McpServers({
    cwd,
    roots: () => [cwd],
    client: { name: "", version: "" },
    elicits: { form: false, url: false },
    environment: {},
    changed: () => {},
  });
}

/** The MCP servers of one session. */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #environment: Record<string, string>;
  #servers: readonly McpServer[] = [];
  /** Ends of those that were replaced. */
  #ending: Promise<unknown> = Promise.resolve();
  #tools: readonly Tool[] | undefined;
  /** What was said of tools that are left out. */
  #leftOut = "";
  #notes: string[] = [];
  #deadline: number | undefined;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#environment = serverEnvironment(options.environment);
  }

  /** Begins to start these; those that were there and are meant no more end, the same ones go on. */
  start(specs: readonly McpServerConfig[]): void {
    const before = this.#servers;
    this.#servers = specs.map((spec) =>
      before.find((s) => JSON.stringify(s.spec) === JSON.stringify(spec)) ?? this.#newServer(spec)
    );
    const gone = before.filter((server) => !this.#servers.includes(server));
    this.#ending = Promise.all([this.#ending, ...gone.map((server) => server.close())]);
    this.#deadline = undefined;
    for (const server of this.#servers) void server.start();
    if (gone.length > 0) this.#changed();
  }

  /** Those that there are now, for the model. */
  tools(): readonly Tool[] {
    if (this.#tools) return this.#tools;
    const { tools, notes } = toolsOf(this.#servers);
    const resources = resourceTool(this.#servers);
    const leftOut = notes.join("\n");
    if (leftOut !== this.#leftOut) this.#notes.push(...notes);
    this.#leftOut = leftOut;
    return this.#tools = resources ? [...tools, resources] : tools;
  }

  /** The prompts that there are now. */
  prompts(): readonly McpPrompt[] {
    return promptsOf(this.#servers);
  }

  /**
   * Resolves when all are up or down, or the patience of the session's first model call is at an end: a slow server
   * comes in later. Never rejects.
   */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#servers.length === 0) return;
    this.#deadline ??= Date.now() + PATIENCE_MS;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    // What is being looked at anew is waited for at any time, but not for long.
    const timer = setTimeout(resolve, Math.max(this.#deadline - Date.now(), PATIENCE_MS / 8));
    signal.addEventListener("abort", () => resolve(), { once: true });
    const starting = Date.now() < this.#deadline
      ? this.#servers
      : this.#servers.filter((s) => s.status.state === "ready");
    await Promise.race([over, Promise.all(starting.map((server) => server.settled()))]);
    clearTimeout(timer);
  }

  /** What the user should be told, each once. */
  takeNotes(): string[] {
    this.tools(); // what is left out is found when the list is made
    const notes = [...this.#servers.flatMap((server) => server.takeNote() ?? []), ...this.#notes];
    this.#notes = [];
    return notes;
  }

  status(): ServerStatus[] {
    return this.#servers.map(({ name, spec, status, offered }) => ({
      name,
      ...status,
      how: spec.transport.kind,
      tools: offered.tools.length,
      prompts: offered.prompts.length,
      hasResources: offered.hasResources,
    }));
  }

  /** Starts one anew; false where there is none of that name. Never rejects. */
  async restart(name: string): Promise<boolean> {
    const server = this.#servers.find((s) => s.name === name);
    await server?.restart();
    return server !== undefined;
  }

  /** The workspace has other directories now. */
  rootsChanged(): void {
    for (const server of this.#servers) server.rootsChanged();
  }

  /** Ends all. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([this.#ending, ...this.#servers.map((server) => server.close())]);
  }

  #newServer(spec: McpServerConfig): McpServer {
    const { cwd, roots, client, elicits } = this.#options;
    return new McpServer({
      spec,
      cwd,
      roots,
      client,
      elicits,
      environment: this.#environment,
      changed: () => this.#changed(),
    });
  }

  #changed(): void {
    this.#tools = undefined;
    this.#options.changed();
  }
}
