import { AgentError, isAbort, messageOf } from "../errors.ts";
import type { McpServerConfig, Preset } from "../config/config.ts";
import { type JobEnd, JobTable } from "../bash/jobs.ts";
import type { ConfinementReport } from "../sandbox/report.ts";
import { type McpServers, noServers } from "../tool/mcp/servers.ts";
import type { PromptPart, SessionEvent, StopReason } from "./event.ts";
import { EditorTrust } from "./editor/editor_trust.ts";
import type { EventListener, EventLog } from "./event_log.ts";
import { failureOf } from "./failure.ts";
import { randomId } from "./ids.ts";
import type { SessionDeps } from "./session_deps.ts";
import { Steering } from "./steering.ts";
import { OwnedLog } from "./owned_log.ts";
import { nextSystemPrompt } from "./prompt/next_system_prompt.ts";
import { changed, type Settings, type SettingsEvent } from "./settings.ts";
import { PromptQueue } from "./prompt_queue.ts";
import { removeIfEmpty } from "./store/temp_dirs.ts";
import { runShellTurn } from "./shell_turn.ts";
import { type Answerer, answererOf, type CommandInfo, type CommandSet, DONE } from "./slash/command.ts";
import { commandDesk } from "./slash/desk.ts";
import { Titler } from "./title/titler.ts";
import { runTurn, type TurnDeps } from "./turn.ts";
import { placeOf, turnDeps, type TurnSource } from "./turn_setup.ts";
import { type TurnEnd, UsageMeter } from "./turn_usage.ts";

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
  readonly #log: OwnedLog;
  /** Set while a turn runs. */
  #steering: Steering | undefined;
  /** What the running turn goes by. */
  #turnSettings: Settings | undefined;
  readonly #jobs: JobTable;
  readonly #titler: Titler;
  /** What all turns are made from. */
  readonly #source: TurnSource;
  readonly #mcp: McpServers;
  #settings: Settings;
  #roots: readonly string[];
  /** MCP servers that are to be started; undefined once they are. */
  #servers: readonly McpServerConfig[] | undefined;
  #announced = false;

  constructor(deps: SessionDeps) {
    this.id = deps.id;
    this.cwd = deps.cwd;
    this.#deps = deps;
    this.#events = deps.events;
    this.#settings = deps.settings;
    this.#roots = deps.roots ?? [];
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
    this.#log = new OwnedLog(deps);
    this.#source = {
      ...{ deps, events, jobs: this.#jobs },
      editorTrust: deps.editorTrust ?? new EditorTrust(),
      toolsReady: (signal) => this.#serversReady(signal),
    };
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
    const idle = this.#prompts.idle && this.#log.ready;
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
    this.#log.note({ type: "roots.set", roots });
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
    this.#log.note(event);
    this.#settings = after;
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
    this.#log.release();
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
    await this.#log.open();
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
      const deps = turnDeps(this.#source, { turn, settings, roots, steering });
      const stop = await this.#answer(answerer, commands, deps, signal);
      this.#events.append({ type: "turn.ended", turn, outcome: { stop } });
      return stop;
    } catch (e) {
      if (signal.aborted || isAbort(e)) {
        this.#log.end({ type: "turn.ended", turn, outcome: { stop: "cancelled" } });
        return "cancelled";
      }
      if (e instanceof AgentError && e.kind === "store") this.#log.tear();
      this.#deps.log.warn("turn failed", { session: this.id, cause: messageOf(e) });
      this.#log.end({ type: "turn.ended", turn, outcome: { failure: failureOf(e) } });
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

  /** Logs the system prompt where there is none yet, or where it is another one by now; gives what is to be told. */
  async #describePlace(preset: Preset, roots: readonly string[]): Promise<string | undefined> {
    const { event, notice } = await nextSystemPrompt(
      this.#events.history.system,
      placeOf(this.#deps, preset, roots),
    );
    if (event) this.#events.append(event);
    return notice;
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
}

/** Resolves when the signal is aborted. */
function abortOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
