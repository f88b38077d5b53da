import { assert, assertEquals } from "@std/assert";
import { jsonBytes } from "../../src/presentation/bounds.ts";
import { Presenter, type PresenterOptions } from "../../src/presentation/presenter.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { builtinTools } from "../../src/tool/registry.ts";

type Terminal = PresenterOptions["drawing"]["terminal"];

function present(
  events: SessionEvent[],
  terminal: Terminal,
  extra: { notices?: boolean; compaction?: boolean; replay?: boolean } = {},
) {
  const presenter = new Presenter({
    drawing: { terminal, notices: extra.notices ?? false, compaction: extra.compaction ?? false },
    tools: builtinTools(),
    cwd: "/w",
    replay: extra.replay ?? false,
  });
  return events.flatMap((e) => presenter.present(e));
}

const COMMAND: SessionEvent[] = [
  {
    type: "tool.called",
    callId: "c1",
    name: "bash",
    args: JSON.stringify({ command: "make test", description: "Run the tests" }),
  },
  { type: "tool.started", callId: "c1" },
  { type: "tool.output", callId: "c1", text: "one\n" },
  { type: "tool.output", callId: "c1", text: "```\n" },
  {
    type: "tool.ended",
    callId: "c1",
    status: "failed",
    text: "one\n```\n[exit code: 3]",
    facts: { exit: { code: 3 }, stopped: null, durationMs: 5 },
  },
];

Deno.test("a command for a client with terminal cards", () => {
  assertEquals(present(COMMAND, "terminal_output"), [
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "make test",
      name: "bash",
      kind: "execute",
      status: "pending",
      content: [
        { type: "content", content: { type: "text", text: "Run the tests" } },
        { type: "terminal", terminalId: "c1" },
      ],
      rawInput: { command: "make test", description: "Run the tests" },
      _meta: { terminal_info: { terminal_id: "c1", cwd: "/w" } },
    },
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "in_progress",
      _meta: { terminal_output: { terminal_id: "c1", data: "one\n" } },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "in_progress",
      _meta: { terminal_output: { terminal_id: "c1", data: "```\n" } },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "failed",
      _meta: { terminal_exit: { terminal_id: "c1", exit_code: 3 } },
    },
  ]);
});

Deno.test("a command for a client with nothing: a fenced block, whole in the last update, the exit in words", () => {
  const updates = present(COMMAND, undefined);
  const last = updates.at(-1);
  assertEquals(last, {
    sessionUpdate: "tool_call_update",
    toolCallId: "c1",
    status: "failed",
    content: [
      { type: "content", content: { type: "text", text: "Run the tests" } },
      { type: "content", content: { type: "text", text: "````console\none\n```\n````\n\nExit code 3." } },
    ],
  });
  assertEquals(updates.some((u) => "_meta" in u), false);
});

Deno.test("a client that knows only output deltas gets the same card under its own key", () => {
  const keys = present(COMMAND, "terminal_output_delta").flatMap((u) => Object.keys(u._meta ?? {}));
  assertEquals(keys, ["terminal_info", "terminal_output_delta", "terminal_output_delta", "terminal_exit"]);
});

Deno.test("a killed command's card names the signal", () => {
  const ended: SessionEvent = {
    type: "tool.ended",
    callId: "c1",
    status: "failed",
    text: "",
    facts: { exit: { signal: "SIGKILL" }, stopped: null, durationMs: 5 },
  };
  const last = present([...COMMAND.slice(0, 2), ended], "terminal_output").at(-1);
  assertEquals(last?._meta, { terminal_exit: { terminal_id: "c1", signal: "SIGKILL" } });
});

Deno.test("a refused command's terminal says so in words for people: those for the model are not shown in it", () => {
  const ended: SessionEvent = {
    type: "tool.ended",
    callId: "c1",
    status: "failed",
    text: "The user said no",
    notRun: "refused",
  };
  const updates = present([COMMAND[0]!, ended], "terminal_output");
  const _meta = { terminal_output: { terminal_id: "c1", data: "… Refused. …\n" } };
  assertEquals(updates.slice(1), [
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed", _meta },
  ]);
});

Deno.test("an edit: the call shows the texts, the end the hunk where it really is", () => {
  const updates = present([
    {
      type: "tool.called",
      callId: "e1",
      name: "edit",
      args: '{"path":"a.ts","old_string":"x","new_string":"y"}',
    },
    {
      type: "tool.ended",
      callId: "e1",
      status: "completed",
      text: "Changed",
      facts: { path: "/w/a.ts", created: false, hunks: [{ oldText: "0\nx\n", newText: "0\ny\n", line: 12 }] },
    },
  ], undefined);
  assertEquals(updates.at(-1), {
    sessionUpdate: "tool_call_update",
    toolCallId: "e1",
    status: "completed",
    content: [{ type: "diff", path: "/w/a.ts", oldText: "0\nx\n", newText: "0\ny\n" }],
    locations: [{ path: "/w/a.ts", line: 12 }],
  });
});

Deno.test("a replayed prompt shows its blocks in order: pictures where they fit, else a pointer, else words", () => {
  const image = (size: number, uri?: string) =>
    ({ type: "image", mimeType: "image/png", data: "A".repeat(size), uri }) as const;
  const event: SessionEvent = {
    type: "steered",
    messageId: "m1",
    prompt: [
      { type: "text", text: "see" },
      image(400),
      image(100_000, "file:///w/big.png"),
      image(100_000),
      { type: "binary", uri: "file:///w/a.pdf", mimeType: "application/pdf", size: 9 },
      image(4, "file:///w/small.png"),
    ],
  };
  const updates = present([event], undefined, { replay: true });
  assertEquals(updates.map((u) => u.sessionUpdate === "user_message_chunk" && [u.messageId, u.content]), [
    ["m1", { type: "text", text: "see" }],
    ["m1", { type: "image", mimeType: "image/png", data: "A".repeat(400) }],
    ["m1", {
      type: "resource_link",
      uri: "file:///w/big.png",
      name: "big.png",
      mimeType: "image/png",
      size: 75_000,
    }],
    ["m1", { type: "text", text: "[image/png, 75000 bytes: too large to be shown]" }],
    ["m1", {
      type: "resource_link",
      uri: "file:///w/a.pdf",
      name: "a.pdf",
      mimeType: "application/pdf",
      size: 9,
    }],
    ["m1", { type: "image", mimeType: "image/png", data: "AAAA", uri: "file:///w/small.png" }],
  ]);
});

Deno.test("the user's message is shown on replay only", () => {
  const event: SessionEvent = {
    type: "turn.started",
    turn: "t",
    messageId: "m1",
    prompt: [{ type: "text", text: "hi" }],
  };
  assertEquals(present([event], undefined), []);
  assertEquals(present([event], undefined, { replay: true }), [
    { sessionUpdate: "user_message_chunk", messageId: "m1", content: { type: "text", text: "hi" } },
  ]);
});

Deno.test("a notice goes beside the conversation where the client can show it, else into it", () => {
  const event: SessionEvent = { type: "notice", messageId: "m", severity: "warning", text: "Slow." };
  assertEquals(present([event], undefined, { notices: true }), [
    { sessionUpdate: "notice", severity: "warning", title: "Slow." },
  ]);
  assertEquals(present([event], undefined, { notices: true, replay: true }), []);
  assertEquals(present([event], undefined).map((u) => u.sessionUpdate), ["agent_message_chunk"]);
});

Deno.test("a job's end is a notice within its turn; what a result has told is not told again", () => {
  const ended = (inResult: boolean, code: number): SessionEvent => ({
    ...{ type: "job.ended", messageId: "m1", inResult, job: "job1", command: "npm run dev" },
    outcome: { exit: { code }, stopped: null, durationMs: 1500 },
  });
  const text = "Background job1 (`npm run dev`) has ended after 1.5 s. Exit code 1.";
  assertEquals(present([ended(false, 1)], undefined, { notices: true }), [
    { sessionUpdate: "notice", severity: "warning", title: text },
  ]);
  const chunk = {
    sessionUpdate: "agent_message_chunk",
    messageId: "m1",
    content: { type: "text", text: `${text}\n\n` },
  };
  for (const replay of [false, true]) {
    assertEquals(present([ended(false, 1)], undefined, { replay }), [chunk as never]);
  }
  assertEquals(present([ended(true, 0)], undefined), []);
});

Deno.test("the title comes after the first turn, and again only when it changes", () => {
  const turn = (text: string): SessionEvent[] => [
    { type: "turn.started", turn: "t", messageId: "m", prompt: [{ type: "text", text }] },
    { type: "turn.ended", turn: "t", outcome: { stop: "end_turn" } },
  ];
  const titled: SessionEvent = { type: "title.set", title: "Greeting fixed" };
  assertEquals(
    present([...turn("Fix the greeting"), ...turn("And now?"), titled, ...turn("More")], undefined),
    [
      { sessionUpdate: "session_info_update", title: "Fix the greeting" },
      { sessionUpdate: "session_info_update", title: "Greeting fixed" },
    ],
  );
});

Deno.test("no update of the presenter reaches 64 KiB, however long the texts in the log are", () => {
  const long = "é\n\u0001".repeat(60_000);
  const events: SessionEvent[] = [
    { type: "title.set", title: long },
    { type: "notice", messageId: "n", severity: "info", text: long },
    {
      ...{ type: "job.ended", messageId: "j", inResult: false, job: "job-1", command: long },
      outcome: { failure: long },
    },
    { type: "compaction.text", compaction: "k", text: long },
    { type: "compaction.done", compaction: "k", keep: 1, summary: long, usage: {} },
    { type: "compaction.failed", compaction: "k", cancelled: false, message: long },
  ];
  for (const known of [false, true]) {
    const updates = present(events, undefined, { notices: known, compaction: known });
    assert(updates.length >= events.length - 1, "each is shown");
    for (const update of updates) assert(jsonBytes(update) < 60 * 1024, update.sessionUpdate);
  }
  const [title] = present([{ type: "title.set", title: "word ".repeat(60) }], undefined);
  assertEquals(title, { sessionUpdate: "session_info_update", title: `${"word ".repeat(14)}word…` });
});

Deno.test("the summary is shown as it grows, and taken back where it comes to nothing", () => {
  const text = (text: string): SessionEvent => ({ type: "compaction.text", compaction: "k", text });
  const begun: SessionEvent[] = [
    { type: "compaction.started", compaction: "k", model: "a/b", system: "s", keep: 1, max: null },
    text("It was "),
    text("red.\n"),
  ];
  const done = (summary: string): SessionEvent => ({
    ...{ type: "compaction.done", compaction: "k", keep: 1, summary, usage: {} },
  });
  const failed = (cancelled: boolean): SessionEvent => ({
    ...{ type: "compaction.failed", compaction: "k", cancelled, message: "Down." },
  });
  const chunk = (text: string) => ({
    ...{ sessionUpdate: "compaction_summary_chunk", compactionId: "k", content: { type: "text", text } },
  });
  const update = { sessionUpdate: "compaction_update", compactionId: "k" };
  const opened = [{ ...update, status: "in_progress" }, chunk("It was "), chunk("red.\n")];
  const shown = (end: SessionEvent) => present([...begun, end], undefined, { compaction: true });
  assertEquals<unknown>(shown(done("It was red.")), [...opened, { ...update, status: "completed" }]);
  const summary = [{ type: "text", text: "Else." }];
  assertEquals<unknown>(shown(done("Else.")), [...opened, { ...update, status: "completed", summary }]);
  assertEquals<unknown>(shown(failed(true)), [...opened, { ...update, status: "cancelled", summary: null }]);
  const down = { ...update, status: "failed", summary: null, error: "Down." };
  assertEquals<unknown>(shown(failed(false)), [...opened, down]);
  const card = present([...begun, done("It was red.")], undefined);
  assertEquals(card.map((u) => u.sessionUpdate), ["tool_call", "tool_call_update", "tool_call_update"]);
});

Deno.test("right after a compaction the context's fill falls, with what the summary has cost", () => {
  const price = { input: 1, output: 1, currency: "USD" };
  const usage = { inputTokens: 500_000, outputTokens: 0 };
  const events: SessionEvent[] = [
    { type: "model.called", model: "a/b", window: 1000, price },
    { type: "model.replied", finish: "stop", usage: { inputTokens: 900, outputTokens: 50 } },
    { type: "compaction.pruned", callIds: ["c"], saved: 400, context: { tokens: 850, window: 1000 } },
    { type: "compaction.started", compaction: "k", model: "a/b", system: "s", keep: 1, max: null, price },
    { ...{ type: "compaction.done", compaction: "k", keep: 1, summary: "S", usage } },
  ];
  const context = { tokens: 70, window: 1000 };
  const done = { ...events.pop()!, context } as SessionEvent;
  const meters = (last: SessionEvent) =>
    present([...events, last], undefined).flatMap((u) => u.sessionUpdate === "usage_update" ? [u] : []);
  assertEquals(meters(done).map((u) => u.used), [950, 850, 70]);
  assertEquals(meters(done).map((u) => u.cost?.amount), [0.00095, 0.00095, 0.50095]);
  assertEquals(meters({ ...done, context: undefined } as SessionEvent).map((u) => u.used), [950, 850]);
});

Deno.test("a compaction is shown as such where the client knows it, else as a card; pruning is not shown", () => {
  const begun: SessionEvent[] = [
    { type: "compaction.pruned", callIds: ["c"], saved: 1 },
    { type: "compaction.started", compaction: "k", model: "a/b", system: "s", keep: 1, max: null },
  ];
  const done: SessionEvent = { type: "compaction.done", compaction: "k", keep: 1, summary: "S", usage: {} };
  const failed = (cancelled: boolean): SessionEvent => ({
    ...{ type: "compaction.failed", compaction: "k", cancelled, message: "Down." },
  });
  const update = { sessionUpdate: "compaction_update", compactionId: "k" };
  for (const replay of [false, true]) {
    const known = (end: SessionEvent) => present([...begun, end], undefined, { compaction: true, replay });
    const running = { ...update, status: "in_progress" };
    const text = { type: "text", text: "S" };
    assertEquals<unknown>(known(done), [running, { ...update, status: "completed", summary: [text] }]);
    assertEquals<unknown>(known(failed(true)), [running, { ...update, status: "cancelled" }]);
    assertEquals<unknown>(known(failed(false)), [running, { ...update, status: "failed", error: "Down." }]);
    const card = (end: SessionEvent) => present([...begun, end], undefined, { replay });
    const next = { sessionUpdate: "tool_call_update", toolCallId: "k" };
    const title = "Compact the conversation";
    const opened = [
      { sessionUpdate: "tool_call", toolCallId: "k", title, kind: "think", status: "pending" },
      { ...next, status: "in_progress" },
    ];
    const content = (said: string) => [{ type: "content", content: { type: "text", text: said } }];
    assertEquals<unknown>(card(done), [...opened, { ...next, status: "completed", content: content("S") }]);
    const end = (said: string) => ({ ...next, status: "failed", content: content(said) });
    assertEquals<unknown>(card(failed(true)), [...opened, end("Cancelled.")]);
    assertEquals<unknown>(card(failed(false)), [...opened, end("Down.")]);
  }
});

Deno.test("a plan is shown as a plan, and its calls are not shown, whatever becomes of them", () => {
  const entry = { content: "Look", status: "pending", priority: "medium" } as const;
  const called: SessionEvent = { type: "tool.called", callId: "c", name: "plan", args: "{" };
  const ended: SessionEvent = { type: "tool.ended", callId: "c", status: "failed", text: "Wrong arguments" };
  for (const replay of [false, true]) {
    const events: SessionEvent[] = [
      called,
      { type: "tool.started", callId: "c" },
      { type: "plan.set", entries: [entry] },
      ended,
      called,
      { ...ended, notRun: "cancelled" },
    ];
    assertEquals(present(events, "terminal_output", { replay }), [{
      sessionUpdate: "plan",
      entries: [entry],
    }]);
  }
});

Deno.test("a plan that is longer than anyone reads is cut, and says so", () => {
  const entry = { content: "x", status: "completed", priority: "high" } as const;
  const [update] = present([{ type: "plan.set", entries: Array(130).fill(entry) }], undefined);
  const entries = update?.sessionUpdate === "plan" ? update.entries : [];
  assertEquals([entries.length, entries.at(-1)?.content], [101, "… 30 more left out …"]);
});

Deno.test("a call of an MCP server is drawn from the log alone; what it says meanwhile stands below its arguments", () => {
  const events: SessionEvent[] = [
    { type: "tool.called", callId: "c", name: "mcp__my_server__get", args: '{"id":7}' },
    { type: "tool.started", callId: "c" },
    { type: "tool.output", callId: "c", text: "50 %" },
    {
      type: "tool.ended",
      callId: "c",
      status: "completed",
      text: "```![x](http://example.com)",
      facts: { server: "my server", tool: "get" },
    },
  ];
  const text = (said: string) => ({ type: "content", content: { type: "text", text: said } });
  const args = text('```json\n{\n  "id": 7\n}\n```');
  const card = { sessionUpdate: "tool_call_update", toolCallId: "c" };
  for (const terminal of ["terminal_output", undefined] as const) {
    const [call, started, output, ended] = present(events, terminal);
    assertEquals(call as unknown, {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "`my_server` · `get`",
      name: "mcp__my_server__get",
      kind: "other",
      status: "pending",
      content: [args],
      rawInput: { id: 7 },
    });
    assertEquals(started as unknown, { ...card, status: "in_progress" });
    assertEquals(output as unknown, { ...card, status: "in_progress", content: [args, text("50 %")] });
    assertEquals(ended as unknown, {
      ...card,
      status: "completed",
      title: "`my server` · `get`",
      content: [text("````\n```![x](http://example.com)\n````")],
    });
  }
});
