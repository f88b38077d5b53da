import fc from "fast-check";
import type { PromptPart, SessionEvent, StopReason } from "../../src/session/event.ts";
import { closingEvents } from "../../src/session/store/log_recovery.ts";
import type { Json } from "../../src/tool/tool.ts";

/** Texts that are hard to bound and to join: control characters, several bytes, halves of a pair, long ones. */
const piece: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }) },
  { weight: 2, arbitrary: fc.constantFrom("\n", "```\n", "\u0000", "\u001b[31m", "\u{1F980}", "\ud83e") },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("x", "\u0000", "€", "\u{1F980}"), fc.integer({ min: 1, max: 30_000 }))
      .map(([text, times]) => text.repeat(times)),
  },
);

const args: fc.Arbitrary<readonly [name: string, args: string]> = fc.oneof(
  piece.map((text) => ["bash", JSON.stringify({ command: text, description: text })] as const),
  piece.map((text) => ["mcp__server__tool", JSON.stringify({ text })] as const),
  piece.map((text) => ["read", JSON.stringify({ path: text })] as const),
  piece.map((text) => ["write", JSON.stringify({ path: `/w/${text}`, content: text })] as const),
  fc.tuple(piece, piece).map(([a, b]) =>
    ["edit", JSON.stringify({ path: "/w/a", old_string: a, new_string: b })] as const
  ),
  piece.map((text) => ["plan", JSON.stringify({ entries: text })] as const),
  fc.tuple(piece, piece).map(([question, label]) =>
    ["ask_user", JSON.stringify({ question, options: [{ label, description: question }] })] as const
  ),
  piece.map((text) => ["subagent", JSON.stringify({ task: text, description: text })] as const),
  fc.tuple(piece, piece), // a tool that there is none of, with arguments that are no JSON
);

const status = fc.constantFrom("completed" as const, "failed" as const);

/** What follows the announcement of one call, with its id and its tool left open. */
type Rest = (callId: string, name: string) => SessionEvent[];

const rest: fc.Arbitrary<Rest> = fc.record({
  started: fc.boolean(),
  output: fc.array(piece, { maxLength: 4 }),
  status,
  text: piece,
  code: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  picture: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined, freq: 2 }),
}).map(({ started, output, status, text, code, picture }) => (callId, name): SessionEvent[] => [
  ...started ? [{ type: "tool.started", callId } as const] : [],
  ...started && name === "subagent" ? childEvents(callId, output, status) : [],
  ...started && name === "bash" ? output.map((text) => ({ type: "tool.output", callId, text }) as const) : [],
  {
    type: "tool.ended",
    callId,
    status,
    // Of a command that did not run only a sentence is told, not an output.
    text: name === "bash" ? text.slice(0, 500) : text,
    facts: started && code !== undefined ? factsOf(name, text, code) : undefined,
    images: name === "read" && picture !== undefined
      ? [{ mimeType: "image/png", data: "A".repeat(picture) }]
      : undefined,
  },
]);

/** A child's turn, in which it says something and makes a call with it, again and again. */
function childEvents(
  callId: string,
  words: readonly string[],
  status: "completed" | "failed",
): SessionEvent[] {
  const events: SessionEvent[] = [
    { type: "system.set", text: "You are a sub-agent.", cwd: "/w", preset: "read-only" },
    { type: "turn.started", turn: "child", messageId: "child", prompt: [{ type: "text", text: "Look." }] },
    ...words.flatMap((text, i): SessionEvent[] => [
      { type: "model.called", model: "demo/demo", window: 1000 },
      { type: "text", messageId: `child${i}`, text },
      { type: "model.replied", finish: "tool-calls", usage: { inputTokens: 10, outputTokens: 1 } },
      { type: "tool.called", callId: `child${i}`, name: "bash", args: JSON.stringify({ command: text }) },
      { type: "tool.started", callId: `child${i}` },
      { type: "tool.ended", callId: `child${i}`, status, text },
    ]),
    { type: "turn.ended", turn: "child", outcome: { stop: "end_turn" } },
  ];
  return events.map((event) => ({ type: "child", callId, event }));
}

/** What each tool logs for its card. */
function factsOf(name: string, text: string, number: number): Json | undefined {
  if (name === "bash") return { exit: { code: number }, stopped: null, durationMs: 5 };
  if (name === "ask_user") return { how: "answered", chosen: Array(number).fill("x"), text };
  if (name === "read") return { shown: text, line: 1 };
  if (name === "subagent") return { report: text, note: text.slice(0, 100) };
  if (name.startsWith("mcp__")) return { server: text, tool: text };
  if (name !== "write" && name !== "edit") return undefined;
  const hunk = { oldText: text, newText: text, line: 1 };
  return { path: `/w/${text}`, created: name === "write", hunks: Array(number).fill(hunk) };
}

/** A part of a turn; ids are given by {@linkcode numbered}, so that parts can be put together freely. */
interface Round {
  readonly thoughts: readonly string[];
  readonly texts: readonly string[];
  readonly calls: readonly { readonly call: readonly [string, string]; readonly rest: Rest }[];
  readonly fails: boolean;
  readonly notice: string | undefined;
  /** Steps of a plan that is shown. */
  readonly plan: readonly string[] | undefined;
}

const round: fc.Arbitrary<Round> = fc.record({
  thoughts: fc.array(piece, { maxLength: 4 }),
  texts: fc.array(piece, { maxLength: 4 }),
  calls: fc.array(fc.record({ call: args, rest }), { maxLength: 3 }),
  fails: fc.boolean(),
  notice: fc.option(fc.constantFrom("Trying again.", "A job is gone."), { nil: undefined }),
  plan: fc.option(fc.array(piece, { maxLength: 5 }), { nil: undefined }),
});

interface TurnPlan {
  readonly prompt: readonly PromptPart[];
  readonly rounds: readonly Round[];
  readonly stop: StopReason;
  readonly title: string | undefined;
}

const uri: fc.Arbitrary<string> = fc.oneof(
  piece,
  piece.map((text) => `file:///w/${text}`),
  piece.map((text) => `zed:///agent/thread/1?name=${text}`),
);

const promptPart: fc.Arbitrary<PromptPart> = fc.oneof(
  piece.map((text) => ({ type: "text", text }) as const),
  fc.tuple(uri, piece).map(([uri, name]) => ({ type: "link", uri, name }) as const),
  fc.tuple(uri, piece).map(([uri, text]) => ({ type: "context", uri, text }) as const),
  fc.tuple(uri, fc.integer({ min: 1, max: 100_000 }), fc.boolean()).map(([uri, size, named]) =>
    ({ type: "image", mimeType: "image/png", data: "A".repeat(size), ...(named ? { uri } : {}) }) as const
  ),
  fc.tuple(uri, piece).map(([uri, mimeType]) => ({ type: "binary", uri, mimeType, size: 3 }) as const),
);

const turn: fc.Arbitrary<TurnPlan> = fc.record({
  prompt: fc.tuple(piece, fc.array(promptPart, { maxLength: 3 })).map(([text, parts]) =>
    [{ type: "text", text }, ...parts] as const
  ),
  rounds: fc.array(round, { maxLength: 3 }),
  stop: fc.constantFrom("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"),
  title: fc.option(fc.constantFrom("A title", "Another"), { nil: undefined }),
});

/** Whole sessions, event by event as the program logs them: every turn and every call has ended. */
export const sessions: fc.Arbitrary<SessionEvent[]> = fc.array(turn, { maxLength: 4 }).map((turns) => {
  let [calls, messages] = [0, 0];
  const created: SessionEvent = { type: "session.created", cwd: "/w", preset: "workspace", version: "0" };
  return [
    created,
    ...turns.flatMap((plan, n) =>
      numbered(plan, `turn${n}`, { call: () => `call${calls++}`, message: () => `msg${messages++}` })
    ),
  ];
});

/** The same after a crash at any moment: the log is cut, and what a load adds to close it stands behind. */
export const crashedSessions: fc.Arbitrary<SessionEvent[]> = cutSessions().map((events) => [
  ...events,
  ...closingEvents(events),
]);

/** The same with nothing behind the cut: what a live session is at some moment. */
export function cutSessions(): fc.Arbitrary<SessionEvent[]> {
  return fc.tuple(sessions, fc.double({ min: 0, max: 1, noNaN: true })).map(([events, part]) =>
    events.slice(0, Math.max(1, Math.ceil(events.length * part)))
  );
}

/** Logs that no crash leaves: events are missing, stand twice or in another place, from the first one on. */
export const damagedSessions: fc.Arbitrary<SessionEvent[]> = fc.tuple(
  sessions,
  fc.array(fc.tuple(fc.constantFrom("drop", "double", "move"), fc.nat(), fc.nat()), { maxLength: 8 }),
).map(([events, harms]) => {
  const log = [...events];
  for (const [harm, from, to] of harms) {
    if (log.length === 0) break;
    const at = from % log.length;
    const event = log[at]!;
    if (harm !== "double") log.splice(at, 1);
    if (harm !== "drop") log.splice(to % (log.length + 1), 0, event);
  }
  return log;
});

/** What half of a call's arguments may look like. */
function draftOf(args: string): string {
  const command = args.slice(0, args.length >> 1);
  return JSON.stringify({ command, path: "/w/half", content: `${command}…` });
}

interface Ids {
  call(): string;
  message(): string;
}

function numbered(plan: TurnPlan, turn: string, ids: Ids): SessionEvent[] {
  return [
    { type: "turn.started", turn, messageId: ids.message(), prompt: plan.prompt },
    ...plan.rounds.flatMap((round) => roundEvents(round, ids)),
    ...plan.title === undefined ? [] : [{ type: "title.set", title: plan.title } as const],
    { type: "turn.ended", turn, outcome: { stop: plan.stop } },
  ];
}

function roundEvents(round: Round, ids: Ids): SessionEvent[] {
  const [thought, message] = [ids.message(), ids.message()];
  const begun = round.calls.map((call) => ({ ...call, id: ids.call() }));
  const calls = round.fails ? [] : begun;
  return [
    {
      ...{ type: "model.called", model: "demo/demo", window: 1000 },
      price: { input: 0.1, output: 0.7, currency: "USD" },
    },
    ...round.thoughts.map((text) => ({ type: "thought", messageId: thought, text }) as const),
    ...round.texts.map((text) => ({ type: "text", messageId: message, text }) as const),
    ...round.notice === undefined
      ? []
      : [{ type: "notice", messageId: ids.message(), severity: "warning", text: round.notice } as const],
    ...begun.filter(({ call }) => call[1].length > 20).map(({ id, call }) =>
      ({ type: "tool.drafted", callId: id, name: call[0], args: draftOf(call[1]) }) as const
    ),
    round.fails
      ? { type: "model.failed", message: "cut" }
      : { type: "model.replied", finish: "stop", usage: { inputTokens: 10, outputTokens: 1 } },
    ...calls.map(({ id, call }) =>
      ({ type: "tool.called", callId: id, name: call[0], args: call[1] }) as const
    ),
    ...round.plan === undefined ? [] : [planOf(round.plan)],
    ...calls.flatMap(({ id, call, rest }) => rest(id, call[0])),
  ];
}

function planOf(steps: readonly string[]): SessionEvent {
  return {
    type: "plan.set",
    entries: steps.map((content) => ({ content, status: "in_progress", priority: "low" })),
  };
}
