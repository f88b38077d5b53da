import { Compactor } from "./compaction/compaction.ts";
import { randomId } from "./ids.ts";
import { CallDrafts } from "./call_drafts.ts";
import { DeltaBuffer } from "./delta_buffer.ts";
import { messageOf } from "../errors.ts";
import { modelName } from "../model/providers.ts";
import {
  type FinishReason,
  type Model,
  type ModelCall,
  ModelError,
  type ThoughtLevel,
} from "../model/model.ts";
import type { StopReason } from "./event.ts";
import type { OpenModel } from "./ports.ts";
import type { Steering } from "./steering.ts";
import { runCalls, type RunnerDeps } from "./tool_runner.ts";

/** What a turn is run with. */
export interface TurnDeps extends RunnerDeps {
  readonly openModel: OpenModel;
  /** Undefined: the configured one. */
  readonly model: string | undefined;
  readonly thought: ThoughtLevel | undefined;
  /** What the user says meanwhile. */
  readonly steering: Steering;
  /** Model calls after which the turn stops by itself. */
  readonly maxModelCalls: number;
  /** Milliseconds between two logged pieces of a reply, where nobody reads it as it is written. */
  readonly frameMs?: number;
  /** Resolves when the tools of MCP servers are there, or have been waited for long enough. Never rejects. */
  readonly toolsReady: (signal: AbortSignal) => Promise<void>;
}

/** Why a turn ended by itself. */
export type TurnStop = Exclude<StopReason, "cancelled">;

/** What the model said in one call. */
interface Reply {
  readonly finish: FinishReason;
  readonly calls: readonly ModelCall[];
}

/**
 * Asks the model, runs what it calls, and asks again until it has nothing left to run. All that happens is
 * in the log when this returns. Throws a ModelError, an AgentError, or an abort when `signal` is aborted.
 */
export async function runTurn(deps: TurnDeps, signal: AbortSignal): Promise<TurnStop> {
  const model = await deps.openModel(deps.model);
  const compactor = new Compactor(deps, model);
  for (let n = 0; n < deps.maxModelCalls; n++) {
    signal.throwIfAborted();
    for (const prompt of deps.steering.take()) {
      deps.log.append({ type: "steered", messageId: randomId("msg"), prompt });
    }
    await deps.toolsReady(signal);
    await compactor.makeRoom(signal);
    const reply = await askInRoom(compactor, model, deps, signal);
    switch (reply.finish) {
      case "length":
        return "max_tokens"; // the calls of a cut reply may be cut themselves: they are never run
      case "content-filter":
        return "refusal";
      case "stop":
      case "tool-calls":
        if (reply.calls.length === 0 && deps.steering.tryEnd()) return "end_turn";
        await runCalls(reply.calls, deps, signal);
    }
  }
  return "max_turn_requests";
}

/** One model call; where the provider says that the history is too long, it is shortened and sent once more. */
async function askInRoom(
  compactor: Compactor,
  model: Model,
  deps: TurnDeps,
  signal: AbortSignal,
): Promise<Reply> {
  try {
    return await askModel(model, deps, signal);
  } catch (e) {
    const tooLong = e instanceof ModelError && e.fault === "window";
    if (!tooLong || !await compactor.shorten(signal)) throw e;
    return await askModel(model, deps, signal);
  }
}

/** One model call: streams it into the log. The calls of a reply that fails are dropped. */
async function askModel(model: Model, deps: TurnDeps, signal: AbortSignal): Promise<Reply> {
  const { log } = deps;
  const request = {
    system: log.history.system?.text ?? "",
    messages: log.history.messages(),
    tools: deps.tools.specs(),
    thought: deps.thought,
  };
  const { ref, window, price } = model;
  log.append({ type: "model.called", model: modelName(ref), window, price }, true);
  const ids = { text: randomId("msg"), thought: randomId("msg") };
  const deltas = new DeltaBuffer<"text" | "thought">(
    (type, text) => log.append({ type, messageId: ids[type], text }),
    deps.frameMs,
  );
  const drafts = new CallDrafts(log);
  const calls: ModelCall[] = [];
  let warned = false;
  try {
    for await (const part of model.stream(request, signal)) {
      switch (part.type) {
        case "reasoning":
          deltas.push("thought", part.text);
          break;
        case "text":
          deltas.push("text", part.text);
          break;
        case "call-start":
          deltas.flush();
          drafts.begin(part.id, part.name);
          deps.workbench.prepare(deps.preset); // while the arguments are still being written
          break;
        case "call-args":
          await drafts.add(part.id, part.text);
          break;
        case "call":
          calls.push({ ...part.call, id: drafts.idOf(part.call.id) });
          break;
        case "retry":
          if (!warned) warn(deps, `${part.reason} Trying again for up to 30 seconds.`);
          warned = true;
          break;
        case "images-refused":
          warn(
            deps,
            `The provider refused the images of this conversation: they were left out. ${part.reason}`,
          );
          break;
        case "finish":
          deltas.flush();
          log.append({ type: "model.replied", finish: part.reason, usage: part.usage });
          return { finish: part.reason, calls };
      }
      await deps.front.ready();
    }
    throw new Error("The model's reply ended without a finish.");
  } catch (e) {
    deltas.flush();
    log.append({ type: "model.failed", message: messageOf(e) });
    throw e;
  } finally {
    deltas.stop();
  }
}

/** Tells the user, not the model. */
function warn(deps: TurnDeps, text: string): void {
  deps.log.append({ type: "notice", messageId: randomId("msg"), severity: "warning", text });
}
