import type { FinishReason, Model, ModelPart, ModelRequest } from "./model.ts";
import { windowOf } from "./catalogue.ts";
import { findScript, type Pace, roundOf, SCRIPT_HELP, type Step, stepsOfRound } from "./demo_script.ts";
import { isTour, tourSteps } from "./demo_tour.ts";
import { abortError, type Sleep, sleep } from "./wait.ts";

/** Settings of {@linkcode demoModel}. */
export interface DemoOptions {
  /** How the model waits between two deltas; tests pass one that does not. */
  readonly sleep?: Sleep | undefined;
}

const HELLO =
  "I am the demo model that is built into dsh-acp: a script, not an intelligence, so I cannot work on your " +
  'code. Write "tour" in a folder with the demo\'s greet.sh to see a turn with tools, or give me a line ' +
  "`demo: [steps]` to play. For a real model set DEEPSEEK_API_KEY, or choose one with DSH_MODEL or --model.";

/**
 * The embedded model `demo/demo`: no network, no key, and what it answers depends on the messages of the
 * request alone, so the same history gives the same reply.
 */
export function demoModel(options: DemoOptions = {}): Model {
  return {
    ref: { provider: "demo", model: "demo" },
    thinks: false,
    sees: false,
    window: windowOf("demo"),
    stream: (request, signal) => play(request, signal, options.sleep ?? sleep),
  };
}

async function* play(request: ModelRequest, signal: AbortSignal, wait: Sleep): AsyncGenerator<ModelPart> {
  if (signal.aborted) throw abortError();
  let reason: FinishReason | undefined;
  let written = 0;
  const ids = callIds(request);
  for (const step of stepsOf(request)) {
    if (step.do === "wait") await wait(step.ms, signal);
    else if (step.do === "fail") throw step.error;
    else if (step.do === "finish") reason = step.reason;
    else {
      const told = step.do === "call" ? callParts(step.calls, ids, reason) : deltas(step, signal, wait);
      for await (const part of told) {
        written += "text" in part ? part.text.length : 10;
        if (part.type === "call") reason ??= "tool-calls";
        yield part;
        if (signal.aborted) throw abortError();
      }
    }
  }
  yield { type: "finish", reason: reason ?? "stop", usage: usageOf(request, written) };
}

function stepsOf(request: ModelRequest): readonly Step[] {
  const asked = request.messages.findLast((m) => m.role === "user")?.text ?? "";
  const script = findScript(asked);
  if (script === "unreadable") return [{ do: "text", text: SCRIPT_HELP, pace: {} }];
  if (script) return orderly(stepsOfRound(script, roundOf(request.messages)), request);
  return isTour(asked) ? tourSteps(request) : [{ do: "text", text: HELLO, pace: { ms: 12 } }];
}

/** `finish` goes before the calls, which must know of it; a call of a tool that is not offered is told instead. */
function orderly(steps: readonly Step[], request: ModelRequest): readonly Step[] {
  const offered = new Set(request.tools.map((tool) => tool.name));
  return [
    ...steps.filter((s) => s.do === "finish"),
    ...steps.filter((s) => s.do !== "finish").flatMap((step): Step[] => {
      if (step.do !== "call") return [step];
      const missing = step.calls.filter((call) => !offered.has(call.name)).map((call) => call.name);
      const text = `(The script calls ${missing.join(", ")}, which this session does not offer.)`;
      const calls = step.calls.filter((call) => offered.has(call.name));
      return [
        ...(missing.length > 0 ? [{ do: "text", text, pace: {} } as const] : []),
        ...(calls.length > 0 ? [{ do: "call", calls } as const] : []),
      ];
    }),
  ];
}

/** As with a real provider: a reply that was cut off only shows that its calls had begun. */
function* callParts(
  calls: readonly { name: string; args: string }[],
  ids: () => string,
  reason: FinishReason | undefined,
): Generator<ModelPart> {
  const begun = calls.map((call) => ({ ...call, id: ids() }));
  for (const { id, name } of begun) yield { type: "call-start", id, name };
  if (reason === "length" || reason === "content-filter") return;
  for (const call of begun) yield { type: "call", call: { id: call.id, name: call.name, args: call.args } };
}

async function* deltas(
  step: Extract<Step, { do: "text" | "think" }>,
  signal: AbortSignal,
  wait: Sleep,
): AsyncGenerator<ModelPart> {
  const type = step.do === "text" ? "text" : "reasoning";
  for (const text of pieces(step.text, step.pace)) {
    yield { type, text };
    if (step.pace.ms) await wait(step.pace.ms, signal);
  }
}

/** Cuts a text between characters, never inside one: into `chunks` even pieces, else into words. */
function pieces(text: string, pace: Pace): string[] {
  if (pace.chunks === undefined) return text.match(/\s*\S+(\s+$)?/g) ?? (text ? [text] : []);
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, pace.chunks)));
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += size) out.push(characters.slice(i, i + size).join(""));
  return out;
}

/** Ids that no earlier call of the history has, nor, by the hash, one of another session's. */
function callIds(request: ModelRequest): () => string {
  let n = request.messages.reduce((sum, m) => sum + (m.role === "assistant" ? m.calls.length : 0), 0);
  const hash = fnv1a(request.messages.map((m) => m.text).join("\n")).toString(16).padStart(8, "0");
  return () => `demo_${++n}_${hash}`;
}

/** The 32-bit FNV-1a hash of a text's code units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

/** Four characters a token is the usual rule of thumb; a script has no tokens of its own. */
function usageOf(request: ModelRequest, written: number): { inputTokens: number; outputTokens: number } {
  return {
    inputTokens: Math.ceil(JSON.stringify(request).length / 4),
    outputTokens: Math.ceil(written / 4),
  };
}
