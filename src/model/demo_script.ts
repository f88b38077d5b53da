import { ModelError, type ModelMessage } from "./model.ts";
import { faultOf } from "./fault.ts";

/** How a delta stream is cut: into how many pieces, and how many milliseconds apart. */
export interface Pace {
  readonly chunks?: number | undefined;
  readonly ms?: number | undefined;
}

/** One thing that the demo model does in a reply. */
export type Step =
  | { readonly do: "text" | "think"; readonly text: string; readonly pace: Pace }
  | { readonly do: "call"; readonly calls: readonly { readonly name: string; readonly args: string }[] }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "fail"; readonly error: ModelError }
  | { readonly do: "finish"; readonly reason: "stop" | "length" | "content-filter" };

/** What the model answers to a `demo:` line that it cannot read. */
export const SCRIPT_HELP =
  'A script is one line: `demo: [["text","Hello"],["call","bash",{"command":"ls"}],' +
  '["text","Done."]]`. Steps: ["text", text, {chunks, ms}], ["think", text, {chunks, ms}], ' +
  '["call", tool, arguments], ["par", [calls]], ["raw", tool, text], ["wait", ms], ' +
  '["fail", status, message], ["cut"], ["finish", "length" | "content-filter"].';

/** The script in a user's message: its steps, `"unreadable"`, or undefined if there is none. */
export function findScript(text: string): readonly Step[] | "unreadable" | undefined {
  const line = /^demo:\s*(.*)$/m.exec(text)?.[1];
  if (line === undefined) return undefined;
  try {
    const steps: unknown = JSON.parse(line);
    return Array.isArray(steps) ? steps.map(toStep) : "unreadable";
  } catch {
    return "unreadable";
  }
}

/** The steps of reply number `round`: a call, and a `finish` right behind it, ends one. Past the end: "Done." */
export function stepsOfRound(script: readonly Step[], round: number): readonly Step[] {
  const rounds: Step[][] = [[]];
  for (const [i, step] of script.entries()) {
    const goesBack = step.do === "finish" && script[i - 1]?.do === "call";
    rounds.at(goesBack ? -2 : -1)!.push(step);
    if (step.do === "call") rounds.push([]);
  }
  const steps = rounds[round] ?? [];
  return steps.length > 0 ? steps : [{ do: "text", text: "Done.", pace: {} }];
}

/** How many replies with calls stand behind the last user message. */
export function roundOf(messages: readonly ModelMessage[]): number {
  const start = messages.findLastIndex((m) => m.role === "user");
  return messages.slice(start + 1).filter((m) => m.role === "assistant" && m.calls.length > 0).length;
}

/** @throws TypeError for anything that is no step. */
function toStep(value: unknown): Step {
  if (!Array.isArray(value)) throw new TypeError("a step is an array");
  const [kind, a, b] = value as unknown[];
  switch (kind) {
    case "text":
    case "think":
      return { do: kind, text: string(a), pace: toPace(b) };
    case "call":
    case "raw":
      return { do: "call", calls: [toCall(value)] };
    case "par":
      if (!Array.isArray(a)) break;
      return { do: "call", calls: a.map(toCall) };
    case "wait":
      return { do: "wait", ms: number(a) };
    case "fail":
      return { do: "fail", error: failure(number(a), string(b ?? "demo failure")) };
    case "cut":
      return { do: "fail", error: new ModelError("stream", "The demo model's reply broke off.") };
    case "finish":
      if (a !== "length" && a !== "content-filter" && a !== "stop") break;
      return { do: "finish", reason: a };
  }
  throw new TypeError("an unknown step");
}

function failure(status: number, message: string): ModelError {
  return new ModelError(faultOf(status, message), message, { status });
}

function toCall(value: unknown): { name: string; args: string } {
  if (!Array.isArray(value)) throw new TypeError("a call is an array");
  const [kind, name, args] = value as unknown[];
  if (kind === "raw") return { name: string(name), args: string(args) };
  if (kind !== "call") throw new TypeError("no call");
  return { name: string(name), args: JSON.stringify(args ?? {}) };
}

function toPace(value: unknown): Pace {
  if (typeof value !== "object" || value === null) return {};
  const { chunks, ms } = value as Record<string, unknown>;
  return {
    ...(chunks === undefined ? {} : { chunks: number(chunks) }),
    ...(ms === undefined ? {} : { ms: number(ms) }),
  };
}

function string(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("a string is wanted");
  return value;
}

function number(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0)) throw new TypeError("a number is wanted");
  return value;
}
