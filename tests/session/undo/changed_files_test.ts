import { assertEquals } from "@std/assert";
import { ChangedFiles } from "../../../src/session/undo/changed_files.ts";
import type { SessionEvent } from "../../../src/session/event.ts";

const started = (turn: string): SessionEvent => ({ type: "turn.started", turn, messageId: "m", prompt: [] });
const changed = (path: string, after: string, before?: string | null): SessionEvent => ({
  type: "file.changed",
  path,
  after,
  ...(before === undefined ? {} : { before: { kept: before } }),
});
const called = (callId: string, command: string, facts?: { kind: string }): SessionEvent => ({
  type: "tool.called",
  callId,
  name: "bash",
  args: JSON.stringify({ command }),
  ...(facts ? { facts } : {}),
});
const begun = (callId: string): SessionEvent => ({ type: "tool.started", callId });
const undone = (turn: string): SessionEvent => ({ type: "undo.done", turn, back: [], left: [] });

function fed(...events: SessionEvent[]): ChangedFiles {
  const files = new ChangedFiles();
  for (const event of events) files.add(event);
  return files;
}
const turns = (files: ChangedFiles) => files.last && [files.last.turn, files.last.files.map((f) => f.path)];

Deno.test("ChangedFiles tells the last turn that changed files and was not undone", () => {
  const files = fed(
    started("1"),
    changed("/a", "A", "a"),
    started("2"),
    changed("/b", "B", null),
    started("3"),
  );
  assertEquals(turns(files), ["2", ["/b"]]);
  files.add(undone("2"));
  assertEquals(turns(files), ["1", ["/a"]]);
  for (const event of [started("4"), changed("/a", "AA", "a")]) files.add(event);
  assertEquals(turns(files), ["4", ["/a"]]);
  for (const turn of ["4", "1"]) files.add(undone(turn));
  assertEquals(files.last, undefined);
});

Deno.test("ChangedFiles keeps what a file held first, and all that the turn gave it", () => {
  const { last } = fed(started("1"), changed("/a", "A", "a"), changed("/b", "B", null), changed("/a", "AA"));
  assertEquals(last?.files, [
    { path: "/a", before: { kept: "a" }, after: new Set(["A", "AA"]) },
    { path: "/b", before: { kept: null }, after: new Set(["B"]) },
  ]);
});

Deno.test("ChangedFiles names commands that were begun and may have changed something, children's too", () => {
  const { last } = fed(
    ...[started("0"), called("c0", "old"), begun("c0")],
    ...[started("1"), changed("/a", "A", "a")],
    ...[called("c1", "make"), begun("c1")],
    ...[called("c2", "cat a", { kind: "read" }), begun("c2")],
    called("c3", "refused"),
    { type: "child", callId: "s", event: started("child") },
    { type: "child", callId: "s", event: called("c3", "child's") },
    { type: "child", callId: "s", event: begun("c3") },
    { type: "tool.called", callId: "c4", name: "bash", args: "{" },
    begun("c4"),
  );
  assertEquals(last?.commands, ["make", "child's", "{"]);
});

Deno.test("ChangedFiles knows that an undo was broken off", () => {
  const files = fed(started("1"), changed("/a", "A", "a"));
  assertEquals(files.last?.interrupted, false);
  files.add({ type: "undo.started", turn: "1" });
  assertEquals(files.last?.interrupted, true);
});

Deno.test("ChangedFiles forgets at a fork what is kept elsewhere", () => {
  const files = fed(started("1"), changed("/a", "A", "a"), { type: "session.forked", from: "x" });
  assertEquals([files.last, files.forked], [undefined, true]);
  for (const event of [started("2"), changed("/a", "AA", "A")]) files.add(event);
  assertEquals(turns(files), ["2", ["/a"]]);
});
