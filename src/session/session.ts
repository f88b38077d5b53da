import { AgentError, isAbort, messageOf } from "../errors.ts";
import type { Config, McpServerConfig, Preset } from "../config/config.ts";
import { type JobEnd, JobTable } from "../bash/jobs.ts";
import type { Log } from "../log.ts";
import type { Rules } from "../permission/rules.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import { type McpServers, noServers } from "../tool/mcp/servers.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { PromptPart, SessionEvent, StopReason } from "./event.ts";
import { ChangeKeeper } from "./change_keeper.ts";
import { children } from "./children.ts";
import { EditorTrust } from "./editor_trust.ts";
import type { EditorAccess } from "./editor_view.ts";
import type { EventListener, EventLog } from "./event_log.ts";
import { failureOf } from "./failure.ts";
import { randomId } from "./ids.ts";
import type { SessionLock } from "./lock.ts";
import { mendingEvents } from "./log_recovery.ts";
import type { Front, GrantBook, OpenModel, Workbench } from "./ports.ts";
import { Steering } from "./steering.ts";
import { nextSystemPrompt, promptFacts, type PromptPlace } from "./next_system_prompt.ts";
import { childPrompt } from "./system_prompt.ts";
import { changed, type Settings, type SettingsEvent } from "./settings.ts";
import { PromptQueue } from "./prompt_queue.ts";
import { removeIfEmpty } from "./temp_dirs.ts";
import type { Snapshots } from "./snapshots.ts";
import { runShellTurn } from "./shell_turn.ts";
import { type Answerer, answererOf, type CommandInfo, type CommandSet, DONE } from "./slash/command.ts";
import { commandDesk } from "./slash/desk.ts";
import { Titler } from "./titler.ts";
import { runTurn, type TurnDeps } from "./turn.ts";
import { type TurnEnd, UsageMeter } from "./turn_usage.ts";

/** What a session is made of. */
export interface SessionDeps {
  readonly id: string;
  readonly cwd: string;
  /** The session's private temporary directory; known once the session is owned. */
  readonly tempDir: () => string;
  readonly config: Config;
  readonly log: Log;
  readonly events: EventLog;
  readonly tools: ToolRegistry;
  readonly workbench: Workbench;
  readonly grants: GrantBook;
  readonly rules: Rules;
  readonly front: Front;
  readonly openModel: OpenModel;
  /** Values that must never be shown, as they are now. */
  readonly secrets: () => readonly string[];
  /** The commands that there are now, with these further roots; none by default. Never rejects. */
  readonly commands?: (roots: readonly string[]) => Promise<CommandSet>;
  /** Models to choose from, `provider/model`. */
  readonly models?: () => readonly string[];
  /**
   * Proof that this process owns the session, or how to get it and the log's store; called before the first
   * event is appended. Throws AgentError("store") when another process has it or the store cannot be opened.
   */
  readonly lock: SessionLock | (() => Promise<SessionLock>);
  /** Its MCP servers, whose tools are among `tools`; none by default. */
  readonly mcp?: McpServers;
  /** Those that it begins with. */
  readonly mcpServers: readonly McpServerConfig[];
  /** What was chosen for it when it is opened. */
  readonly settings: Settings;
  /** Directories beside `cwd` that belong to the workspace, absolute. */
  readonly roots?: readonly string[];
  /** What is known of the client's file methods; shared by its sessions. */
  readonly editorTrust?: EditorTrust;
  /** What files held before turns changed them; without it no change can be taken back. */
  readonly snapshots?: Snapshots;
  /** What the user should be told of the place that sessions are kept in, each once. */
  readonly storeNotes?: () => readonly string[];
}

/** The end of a prompt that was taken back while it waited. */
const NEVER_BEGUN: TurnEnd = { stop: "cancelled", usage: undefined };

/**
 * One conversation: its queue of prompts, its log, its tools.
 *
 * Contract: prompts run one after the other in the order they came; each settles exactly once, after all its
 * events; `cancel` settles the running one and all that wait as `cancelled`.
 */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly #deps: SessionDeps;
  readonly #events: EventLog;
  readonly #prompts = new PromptQueue(NEVER_BEGUN);
  #lock: SessionLock | undefined;
  /** Set while a turn runs. */
  #steering: Steering | undefined;
  /** What the running turn goes by. */
  #turnSettings: Settings | undefined;
  readonly #jobs: JobTable;
  readonly #titler: Titler;
  readonly #editorTrust: EditorTrust;
  readonly #mcp: McpServers;
  #settings: Settings;
  #roots: readonly string[];
  /** MCP servers that are to be started; undefined once they are. */
  #servers: readonly McpServerConfig[] | undefined;
  /** `torn`: the log could not be written to a turn's end; the next turn closes first what stayed open. */
  #logState: "whole" | "torn" = "whole";
  #announced = false;

  constructor(deps: SessionDeps) {
    this.id = deps.id;
    this.cwd = deps.cwd;
    this.#deps = deps;
    this.#events = deps.events;
    this.#settings = deps.settings;
    this.#roots = deps.roots ?? [];
    this.#editorTrust = deps.editorTrust ?? new EditorTrust();
    this.#servers = deps.mcpServers;
    this.#mcp = deps.mcp ?? noServers(deps.cwd);
    this.#jobs = new JobTable({
      before: deps.events.jobs,
      journal: {
        started: (job) => this.#events.append({ type: "job.started", ...job }),
        ended: (end) => this.#logJobEnd(end, true),
      },
    });
    const { log, events, openModel, secrets } = deps;
    this.#titler = new Titler({ log, events, openModel, secrets });
    this.#lock = typeof deps.lock === "function" ? undefined : deps.lock;
  }

  /**
   * Runs a prompt after those before it.
   * @throws AgentError or ModelError when the turn failed (it is logged then); never for a cancel.
   */
  prompt(prompt: readonly PromptPart[], signal: AbortSignal): Promise<TurnEnd> {
    this.endPause();
    return this.#prompts.run((cancelled) => this.#turn(prompt, cancelled), signal);
  }

  /** To be called when a prompt was answered: spare work is done until the next one comes. Never throws. */
  pause(): void {
    const idle = this.#prompts.idle && this.#lock && this.#logState === "whole";
    if (idle && this.#deps.config.titles) this.#titler.start(this.#settings.model);
  }

  /** Gives up what the pause was used for. */
  endPause(): void {
    void this.#titler.stop();
  }

  /** Says something into the running turn, which its next model call reads. False: no turn takes it now. */
  steer(prompt: readonly PromptPart[]): boolean {
    return this.#steering?.push(prompt) ?? false;
  }

  /** Stops the running prompt and all that wait. Harmless when idle. */
  cancel(): void {
    this.endPause();
    this.#prompts.cancel();
  }

  /** What tools may do unasked. */
  get preset(): Preset {
    return this.#settings.preset;
  }

  /** What the preset's confinement obtained; undefined before anything was run in it. */
  get report(): ConfinementReport | undefined {
    return this.#deps.workbench.report(this.preset);
  }

  /** Directories beside `cwd` that belong to the workspace. */
  get roots(): readonly string[] {
    return this.#roots;
  }

  /** Replaces those directories, from the next turn on. They are checked already. */
  setRoots(roots: readonly string[]): void {
    if (JSON.stringify(roots) === JSON.stringify(this.#roots)) return;
    this.#log({ type: "roots.set", roots });
    this.#roots = roots;
    this.#mcp.rootsChanged();
  }

  /** Which MCP servers it has, from the next {@linkcode startServers} on. */
  setServers(servers: readonly McpServerConfig[]): void {
    this.#servers = servers;
  }

  /** Begins to start its MCP servers, and ends those that it has no more. It waits for none. */
  startServers(): void {
    if (this.#prompts.closed || !this.#servers) return;
    this.#mcp.start(this.#servers);
    this.#servers = undefined;
  }

  /** What the user has chosen for this session. */
  get settings(): Settings {
    return this.#settings;
  }

  /** The model of the running turn, else that of the next one; undefined: the configured one. */
  get modelOfTurn(): string | undefined {
    return (this.#steering ? this.#turnSettings ?? this.#settings : this.#settings).model;
  }

  /** Changes a setting, from the next turn on; a running one keeps what it began with. */
  change(event: SettingsEvent): void {
    const after = changed(this.#settings, event);
    if (JSON.stringify(after) === JSON.stringify(this.#settings)) return;
    this.#log(event);
    this.#settings = after;
  }

  /** Logs a change of settings. A session that was never prompted has no log: it is stored with its first event. */
  #log(event: SessionEvent): void {
    if (this.#lock) this.#events.append(event);
    else this.#events.prepare(event);
  }

  /** The commands that a client may offer. Never rejects. */
  async commands(): Promise<readonly CommandInfo[]> {
    const { local, prompts } = await this.#commands();
    return [...local, ...prompts];
  }

  async #commands(): Promise<CommandSet> {
    return await this.#deps.commands?.(this.#roots) ?? { local: [], prompts: [], faults: [] };
  }

  /** Everything so far, for a replay. */
  eventsSoFar(): SessionEvent[] {
    return this.#events.events();
  }

  /** See {@linkcode EventLog.subscribe}. */
  subscribe(listener: EventListener): () => void {
    return this.#events.subscribe(listener);
  }

  /** Cancels, waits for the turn to end, ends all processes. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([
      this.#prompts.close(),
      this.#titler.stop(),
      this.#jobs.close(),
      this.#deps.workbench.close(),
      this.#mcp.close(),
    ]);
    // A turn that was just starting may have asked for an executor after the first close.
    await this.#deps.workbench.close();
    await removeIfEmpty(this.#deps.tempDir());
    this.#lock?.release();
    this.#lock = undefined;
  }

  async #turn(prompt: readonly PromptPart[], signal: AbortSignal): Promise<TurnEnd> {
    const steering = this.#steering = new Steering();
    const meter = new UsageMeter();
    const unsubscribe = this.#events.subscribe(meter.add);
    try {
      const stop = await this.#runTurn(prompt, steering, signal);
      return { stop, usage: meter.total };
    } finally {
      unsubscribe();
      this.#steering = this.#turnSettings = undefined;
    }
  }

  async #runTurn(
    prompt: readonly PromptPart[],
    steering: Steering,
    signal: AbortSignal,
  ): Promise<StopReason> {
    await this.#own();
    this.#mend();
    this.startServers();
    const [settings, roots] = [this.#settings, this.#roots];
    const { preset } = this.#turnSettings = settings;
    this.#deps.workbench.setRoots(roots);
    const commands = await this.#commands();
    // A server may take its time to fill in a prompt: nothing has begun yet.
    const answerer = await Promise.race([answererOf(prompt, commands), abortOf(signal)]);
    if (answerer === undefined) return "cancelled";
    const guidance = answerer.by === "model" ? await this.#describePlace(preset, roots) : undefined;
    const turn = randomId("turn");
    const modelText = answerer.by === "model" ? answerer.text : null;
    this.#events.append({ type: "turn.started", turn, messageId: randomId("msg"), prompt, modelText });
    try {
      this.#jobs.reportEnded((end) => this.#logJobEnd(end, false));
      this.#announce(preset);
      if (guidance !== undefined) this.#tell("info", guidance);
      const deps = this.#turnDeps(turn, settings, roots, steering);
      const stop = await this.#answer(answerer, commands, deps, signal);
      this.#events.append({ type: "turn.ended", turn, outcome: { stop } });
      return stop;
    } catch (e) {
      if (signal.aborted || isAbort(e)) {
        this.#end({ type: "turn.ended", turn, outcome: { stop: "cancelled" } });
        return "cancelled";
      }
      if (e instanceof AgentError && e.kind === "store") this.#logState = "torn";
      this.#deps.log.warn("turn failed", { session: this.id, cause: messageOf(e) });
      this.#end({ type: "turn.ended", turn, outcome: { failure: failureOf(e) } });
      throw e;
    }
  }

  async #answer(
    answerer: Answerer,
    { faults }: CommandSet,
    deps: TurnDeps,
    signal: AbortSignal,
  ): Promise<StopReason> {
    switch (answerer.by) {
      case "model":
        return await runTurn(deps, signal);
      case "shell":
        return await runShellTurn(answerer.command, deps, signal);
      case "command": {
        const { models = () => [], snapshots } = this.#deps;
        const desk = commandDesk({ session: this, deps, models, faults, snapshots, mcp: this.#mcp, signal });
        const text = await answerer.command.run(answerer.args, desk);
        this.#events.append({ type: "answered", messageId: randomId("msg"), text });
        return DONE;
      }
    }
  }

  #logJobEnd(end: JobEnd, inResult: boolean): void {
    this.#events.append({ type: "job.ended", messageId: randomId("msg"), inResult, ...end });
  }

  async #own(): Promise<void> {
    if (this.#lock === undefined && typeof this.#deps.lock === "function") {
      this.#lock = await this.#deps.lock();
    }
  }

  /** Logs the end of a turn that is already answered otherwise: a full disk must not hide the first cause. */
  #end(event: SessionEvent): void {
    try {
      this.#events.append(event);
    } catch (e) {
      this.#logState = "torn";
      this.#deps.log.error("cannot log the end of a turn", { session: this.id, cause: messageOf(e) });
    }
  }

  /** Closes in the log what an earlier turn left open when it could not be written. */
  #mend(): void {
    if (this.#logState === "whole") return;
    for (const event of mendingEvents(this.#events.events())) this.#events.append(event);
    this.#logState = "whole";
  }

  /** Logs the system prompt where there is none yet, or where it is another one by now; gives what is to be told. */
  async #describePlace(preset: Preset, roots: readonly string[]): Promise<string | undefined> {
    const { event, notice } = await nextSystemPrompt(
      this.#events.history.system,
      this.#place(preset, roots),
    );
    if (event) this.#events.append(event);
    return notice;
  }

  #place(preset: Preset, roots: readonly string[]): PromptPlace {
    const { config, tempDir } = this.#deps;
    return { config, cwd: this.cwd, roots, tempDir: tempDir(), preset };
  }

  /** Says, once for each time the session is opened, what is otherwise than the user may expect. */
  #announce(preset: Preset): void {
    for (const text of this.#deps.storeNotes?.() ?? []) this.#warn(text);
    if (this.#announced) return;
    this.#announced = true;
    for (const text of this.#deps.workbench.notes(preset)) this.#warn(text);
  }

  /** Waits, for a while, until the MCP servers are up, and says what has become of them. */
  async #serversReady(signal: AbortSignal): Promise<void> {
    await this.#mcp.settled(signal);
    for (const text of this.#mcp.takeNotes()) this.#warn(text);
  }

  #warn(text: string): void {
    this.#tell("warning", text);
  }

  #tell(severity: "info" | "warning", text: string): void {
    this.#events.append({ type: "notice", messageId: randomId("msg"), severity, text });
  }

  #turnDeps(id: string, settings: Settings, roots: readonly string[], steering: Steering): TurnDeps {
    const { tools, workbench, grants, rules, front, openModel } = this.#deps;
    const turn = {
      log: this.#events,
      tools,
      workbench,
      grants,
      rules,
      front,
      openModel,
      editor: this.#editor(),
      changes: this.#changeKeeper(id),
      jobs: this.#jobs,
      cwd: this.cwd,
      ...settings,
      steering,
      maxModelCalls: this.#deps.config.maxModelCalls,
      privateHosts: this.#deps.config.fetch.allowPrivate,
      toolsReady: (signal: AbortSignal) => this.#serversReady(signal),
    };
    const system = async (preset: Preset, write: boolean) =>
      childPrompt(await promptFacts(this.#place(preset, roots)), write);
    return { ...turn, delegate: children({ turn, system }) };
  }

  #changeKeeper(turn: string): ChangeKeeper | undefined {
    const { snapshots, log } = this.#deps;
    return snapshots && new ChangeKeeper({ turn, snapshots, log, append: (e) => this.#events.append(e) });
  }

  #editor(): EditorAccess | undefined {
    const { front: { files }, log } = this.#deps;
    return files && { files, trust: this.#editorTrust, roots: [this.cwd, ...this.#roots], log };
  }
}

/** Resolves when the signal is aborted. */
function abortOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
