import { AgentError } from "../errors.ts";
import { blankOf, sharedMemoryOf } from "../sandbox/bubblewrap.ts";
import { scrubEnv } from "../sandbox/env.ts";
import { DEFAULT_LIMITS } from "../sandbox/limits.ts";
import { denoDirOf } from "../sandbox/own_places.ts";
import type { ProtectedMounts } from "../sandbox/protected.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type ConfinementReport, enforcementOf, REQUIRED_LAYERS } from "../sandbox/report.ts";
import { Channel } from "./channel.ts";
import { discoverTools } from "./discover.ts";
import type {
  CommandRequest,
  CommandResult,
  Executor,
  FileContent,
  FileStat,
  Listing,
  ResolvedPath,
} from "./executor_handle.ts";
import type { ExecutorOptions } from "./executor_options.ts";
import { firstStage, launchArgv, launchEnv, type LaunchPlan } from "./launch.ts";
import { type Outer, outerFailed, outerFor, wrapped } from "./outer_layer.ts";
import { randomTag } from "../sandbox/harden.ts";
import { type Ready, Requests } from "./requests.ts";
import { NO_RIPGREP } from "./search/ripgrep.ts";
import { faultIn, type SearchRequest, type SearchResult } from "./search/search.ts";
import { resolvedUnder } from "./resolved.ts";
import { contentOf } from "./wire.ts";

/** Milliseconds that an executor has to become ready; a loaded machine starts Deno twice in it. */
const READY_MS = 30_000;
/** The agent's side of one executor: it owns the process, checks all it says and settles every request. */
export class RemoteExecutor implements Executor {
  readonly report: ConfinementReport;
  readonly #channel: Channel;
  readonly #state: Requests;
  readonly #policy: Policy;
  readonly #canSearch: boolean;

  private constructor(
    report: ConfinementReport,
    policy: Policy,
    channel: Channel,
    state: Requests,
    canSearch: boolean,
  ) {
    this.report = report;
    this.#policy = policy;
    this.#channel = channel;
    this.#state = state;
    this.#canSearch = canSearch;
  }

  /** See `startExecutor`. `mounts`: protected places, for bubblewrap. */
  static async start(
    options: ExecutorOptions,
    mounts: ProtectedMounts = { pinned: [], readOnly: [] },
  ): Promise<RemoteExecutor> {
    const { policy, environment } = options;
    const [tools] = await Promise.all([discoverTools(environment), import("./warm.ts")]);
    if (policy.confined && tools.libc === undefined && tools.sandboxExec === undefined) {
      throw new AgentError("sandbox", NO_KERNEL_LAYER);
    }
    for (const own of [`${policy.tempDir}/cache`, sharedMemoryOf(policy.tempDir)]) {
      await Deno.mkdir(own, { recursive: true, mode: 0o700 });
    }
    await makeBlank(blankOf(policy.tempDir));
    const plan: LaunchPlan = {
      policy,
      program: Deno.execPath(),
      standalone: Deno.build.standalone,
      entry: options.entry ?? import.meta.resolve("./executor.ts"),
      denoDir: denoDirOf(environment, options.home),
      tools,
      tag: randomTag(),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
    };
    const wanted = options.bubblewrap !== false;
    const outer = outerFor({ plan, environment, wanted, ...mounts });
    const around = { inNamespaces: outer.kind === "bubblewrap", inSeatbelt: outer.kind === "seatbelt" };
    try {
      return await RemoteExecutor.#launch(options, { ...plan, ...around }, outer);
    } catch (thrown) {
      if (outer.kind !== "bubblewrap") throw thrown;
      const missing = [await outerFailed(outer.profile, thrown)];
      options.log.warn("bubblewrap is not used", { missing });
      return await RemoteExecutor.#launch(options, plan, { kind: "none", missing });
    }
  }

  static async #launch(
    options: ExecutorOptions,
    plan: LaunchPlan,
    outer: Outer,
  ): Promise<RemoteExecutor> {
    const { policy, environment, log } = options;
    const state = new Requests(policy, plan.tag, log);
    const missing = outer.kind === "none" ? outer.missing : [];
    const argv = wrapped(outer, launchArgv(plan, firstStage(plan)));
    const channel = new Channel(argv, launchEnv(plan), (m) => state.take(m));
    state.attach(channel);
    const { confined, tempDir } = policy;
    const env = scrubEnv(environment, { pass: options.envPass, tempDir, confined, bash: plan.tools.bash });
    void channel.send({ op: "init", env, marker: state.marker });
    const report = reportOf(policy, await state.ready(READY_MS), missing);
    if (policy.confined && report.enforcement === "none") {
      await channel.close();
      const lacking = REQUIRED_LAYERS.filter((layer) => !report.layers.includes(layer));
      throw new AgentError("sandbox", `the executor lacks ${lacking.join(", ")}: nothing was run`);
    }
    log.debug("executor ready", { pid: channel.pid, preset: policy.preset, layers: report.layers });
    return new RemoteExecutor(report, policy, channel, state, plan.tools.rg !== undefined);
  }

  get closed(): boolean {
    return this.#state.closed;
  }

  run(
    request: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    return this.#state.run(request, onOutput, signal);
  }

  readFile(path: string, maxBytes: number): Promise<FileContent> {
    return this.readRange(path, 0, maxBytes);
  }

  async readRange(path: string, from: number, maxBytes: number): Promise<FileContent> {
    const answer = await this.#state.file(
      "content",
      path,
      (id) => ({ op: "read", id, path, from, maxBytes }),
    );
    const content = contentOf(answer);
    if (content.bytes.length <= maxBytes) return content;
    throw this.#state.distrust("the executor sent more of a file than was asked for");
  }

  async writeFile(path: string, bytes: Uint8Array, ifVersion?: string): Promise<{ version: string }> {
    const tempName = `.dsh-${crypto.randomUUID()}.tmp`;
    const base64 = bytes.toBase64();
    const { version } = await this.#state.file("written", path, (id) => ({
      op: "write",
      id,
      path,
      base64,
      tempName,
      ...(ifVersion === undefined ? {} : { ifVersion }),
    }), tempName);
    return { version };
  }

  async remove(path: string, ifVersion?: string): Promise<void> {
    const wish = ifVersion === undefined ? {} : { ifVersion };
    await this.#state.file("removed", path, (id) => ({ op: "remove", id, path, ...wish }));
  }

  async stat(path: string): Promise<FileStat> {
    return (await this.#state.file("stat", path, (id) => ({ op: "stat", id, path }))).stat;
  }

  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    if (!this.#canSearch) throw new AgentError("sandbox", NO_RIPGREP);
    signal.throwIfAborted();
    let cancel = () => {};
    const answer = this.#state.file("found", request.path, (id) => {
      cancel = () => this.#state.cancelFile(id);
      return { op: "search", id, ...request };
    });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const { result } = await answer;
      const fault = faultIn(request, result);
      if (fault !== undefined) throw this.#state.distrust(fault);
      return result;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async list(path: string): Promise<Listing> {
    return (await this.#state.file("listing", path, (id) => ({ op: "list", id, path }))).listing;
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const resolved = await this.#state.file("resolved", path, (id) => ({ op: "resolve", id, path }));
    return resolvedUnder(this.#policy, resolved.path);
  }

  async close(): Promise<void> {
    this.#state.shut();
    await this.#channel.close();
    await this.#state.gone;
  }
}

/** Makes the file that lies over what is veiled. Commands may change it: they only see less of what they made. */
async function makeBlank(path: string): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0 }).catch(() => undefined);
  file?.close();
}

const NO_KERNEL_LAYER = Deno.build.os === "linux"
  ? "the C library was not found, so commands cannot be confined; choose the preset full-access"
  : `commands cannot be confined on ${Deno.build.os}; choose the preset full-access`;

function reportOf(policy: Policy, ready: Ready, missing: readonly string[]): ConfinementReport {
  const { layers } = ready;
  return {
    preset: policy.preset,
    enforcement: enforcementOf(layers),
    layers,
    missing: [...missing, ...ready.missing],
  };
}
