import { AssertionError } from "@std/assert";
import { join } from "@std/path";
import { AgentProcess } from "./agent.ts";
import { terminalCapabilities } from "./capabilities.ts";
import { ModelServer, type ModelServerOptions } from "./model_server.ts";
import { endProcesses } from "./process_tree.ts";
import { Session } from "./session.ts";
import type { Fields } from "./wire.ts";

/** The API key that every agent is started with: it must never be seen on the wire or by a command. */
export const API_KEY = "sk-e2e-51c0ffee0badf00d51c0ffee";

/** How to start an agent on a stage. */
export interface StartOptions {
  /** The client's capabilities; by default a client with terminal cards and nothing else. */
  readonly client?: Fields;
  /** Added to the environment; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
}

/** How to set up a stage. */
export interface StageOptions extends StartOptions {
  /** Files of the workspace: relative path → text. */
  readonly files?: Readonly<Record<string, string>>;
  readonly model?: ModelServerOptions;
  /** Further variables of the environment, whose values must not be seen on the wire. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** What is sent first on every connection. */
export function initializeParams(client: Fields): Fields {
  return { protocolVersion: 1, clientCapabilities: client, clientInfo: { name: "e2e", version: "1" } };
}

/**
 * Everything one test needs and nothing else has: a folder with a home, a workspace and the agent's state, a
 * scripted model, and the agents started on them. Disposing it checks and ends the agents and removes the
 * folder.
 */
export class Stage implements AsyncDisposable {
  readonly #agents: AgentProcess[] = [];

  private constructor(
    readonly root: string,
    readonly model: ModelServer,
    readonly options: StageOptions,
  ) {}

  /** Sets up the folder and the model, without an agent. */
  static async prepare(options: StageOptions = {}): Promise<Stage> {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "dsh-e2e-" }));
    const stage = new Stage(root, await ModelServer.start(options.model), options);
    for (const dir of [stage.home, stage.workspace, stage.outside, stage.tempDir]) await Deno.mkdir(dir);
    for (const [name, text] of Object.entries(options.files ?? {})) await stage.write(name, text);
    return stage;
  }

  /** Sets up everything and starts a first agent. */
  static async open(options: StageOptions = {}): Promise<Stage> {
    const stage = await Stage.prepare(options);
    try {
      await stage.start();
      return stage;
    } catch (error) {
      await stage[Symbol.asyncDispose]().catch(() => {}); // the first cause is what counts
      throw error;
    }
  }

  get home(): string {
    return join(this.root, "home");
  }
  get workspace(): string {
    return join(this.root, "workspace");
  }
  /** A folder that is neither workspace nor home. */
  get outside(): string {
    return join(this.root, "outside");
  }
  /** The agent's TMPDIR. */
  get tempDir(): string {
    return join(this.root, "tmp");
  }
  get stateDir(): string {
    return join(this.root, "state");
  }

  /** The agent that was started last. */
  get agent(): AgentProcess {
    return this.#agents.at(-1)!;
  }

  path(...parts: string[]): string {
    return join(this.workspace, ...parts);
  }

  /** Writes a file of the workspace. */
  async write(name: string, text: string): Promise<string> {
    const path = this.path(name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, text);
    return path;
  }

  /** The whole environment of an agent on this stage. */
  environment(extra: StartOptions["env"] = {}): Record<string, string> {
    const env: Record<string, string | undefined> = {
      PATH: Deno.env.get("PATH"),
      LANG: "C.UTF-8",
      HOME: this.home,
      DENO_DIR: denoDir(),
      TMPDIR: this.tempDir,
      DSH_STATE_DIR: this.stateDir,
      DEEPSEEK_API_KEY: API_KEY,
      DEEPSEEK_BASE_URL: this.model.baseURL,
      ...this.options.secrets,
      ...this.options.env,
      ...extra,
    };
    return Object.fromEntries(
      Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
  }

  /** Starts an agent that has not said a word yet. */
  launch(options: StartOptions = {}): AgentProcess {
    const env = this.environment(options.env);
    const agent = new AgentProcess({
      env,
      cwd: this.workspace,
      marker: `HOME=${env.HOME}`,
      args: options.args ?? this.options.args ?? [],
      secrets: [API_KEY, ...Object.values(this.options.secrets ?? {})],
    });
    this.#agents.push(agent);
    return agent;
  }

  /** Starts an agent and initializes the connection. */
  async start(options: StartOptions = {}): Promise<AgentProcess> {
    const agent = this.launch(options);
    await agent.call(
      "initialize",
      initializeParams(options.client ?? this.options.client ?? terminalCapabilities),
    );
    return agent;
  }

  /** Ends the agent that was started last, with all the checks of its end. */
  async stop(): Promise<void> {
    await this.#agents.pop()![Symbol.asyncDispose]();
  }

  /** Opens a new session of the agent that was started last. */
  async session(cwd: string = this.workspace): Promise<Session> {
    const { sessionId } = await this.agent.call("session/new", { cwd, mcpServers: [] });
    return new Session(this.agent, sessionId as string, cwd);
  }

  /** Loads a session in the agent that was started last; gives what was replayed with it. */
  async load(sessionId: string, cwd: string = this.workspace): Promise<Session> {
    await this.agent.call("session/load", { sessionId, cwd, mcpServers: [] });
    return new Session(this.agent, sessionId, cwd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ends = await Promise.allSettled(this.#agents.map((agent) => agent[Symbol.asyncDispose]()));
    await this.model[Symbol.asyncDispose]();
    const strays = endProcesses(`HOME=${this.home}`);
    await Deno.remove(this.root, { recursive: true });
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    if (strays.length > 0) throw new AssertionError(`processes live on: ${strays.join("; ")}`);
  }
}

/** Where this Deno keeps its cache: an agent with another HOME must find it, or it would download all again. */
export function denoDir(): string {
  const set = Deno.env.get("DENO_DIR");
  if (set) return set;
  const home = Deno.env.get("HOME") ?? "/";
  if (Deno.build.os === "darwin") return join(home, "Library", "Caches", "deno");
  return join(Deno.env.get("XDG_CACHE_HOME") ?? join(home, ".cache"), "deno");
}
