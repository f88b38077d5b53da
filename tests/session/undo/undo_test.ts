import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { FileError } from "../../../src/bash/executor_handle.ts";
import { AgentError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { ChangeKeeper } from "../../../src/session/undo/change_keeper.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { EventLog } from "../../../src/session/event_log.ts";
import { MemoryStore } from "../../../src/session/store/memory_store.ts";
import { Snapshots } from "../../../src/session/undo/snapshots.ts";
import { undoLastTurn } from "../../../src/session/undo/undo.ts";
import { toldText, undoText } from "../../../src/session/undo/undo_text.ts";
import { FakeWorkbench } from "../../support/fake_executor.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const GO = new AbortController().signal;

/** A session's log, files and snapshots, without a session. */
async function setUp() {
  const dir = await Deno.makeTempDir({ prefix: "dsh-undo-" });
  const snapshots = new Snapshots(() => dir, { file: 1000, session: 1500 });
  const log = new EventLog("s", new MemoryStore());
  const workbench = new FakeWorkbench();
  const { files } = workbench.inner;
  let turns = 0;
  const begin = () => {
    const turn = `turn_${++turns}`;
    log.append({ type: "turn.started", turn, messageId: "m", prompt: [{ type: "text", text: turn }] });
    return new ChangeKeeper({ turn, snapshots, log: silentLog, append: (e) => log.append(e) }).forCall();
  };
  const undo = (signal = GO) =>
    undoLastTurn({ log, workbench, preset: "workspace", editor: undefined, snapshots }, signal);
  const logged = (type: SessionEvent["type"]) => log.events().filter((e) => e.type === type);
  return {
    ...{ snapshots, log, workbench, files, begin, undo, logged, executor: workbench.inner, dir },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

Deno.test("a change is kept from what the call has read, without reading once more", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  const keeping = at.begin();
  const version = (await keeping(at.executor).readFile("/a", 100)).version;
  const writer = keeping(at.executor); // after a question it is another one
  let reads = 0;
  const readFile = at.executor.readFile.bind(at.executor);
  at.executor.readFile = (path) => (reads++, readFile(path));
  await writer.writeFile("/a", bytes("two"), version);
  assertEquals([at.files.get("/a"), reads], ["two", 0]);
  assertEquals((await at.undo())?.files, [{ path: "/a", back: "restored" }]);
  assertEquals(at.files.get("/a"), "one");
});

Deno.test("what was read of another version, or not to its end, is read again", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  const writer = at.begin()(at.executor);
  await writer.readFile("/a", 100);
  at.files.set("/a", "changed meanwhile");
  await writer.writeFile("/a", bytes("two"));
  await at.undo();
  assertEquals(at.files.get("/a"), "changed meanwhile");
});

Deno.test("changes side by side are logged with what the file held before the first", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  const keeping = at.begin();
  await Promise.all(
    ["two", "three", "four"].map((text) => keeping(at.executor).writeFile("/a", bytes(text))),
  );
  const changes = at.logged("file.changed").map((e) => "before" in e && e.before !== undefined);
  assertEquals(changes, [true, false, false]);
  await at.undo();
  assertEquals(at.files.get("/a"), "one");
});

Deno.test("a change that cannot be kept is made all the same, and an undo says why it stays", async () => {
  await using at = await setUp();
  at.files.set("/long", "x".repeat(1001)).set("/b", "bee");
  const writer = at.begin()(at.executor);
  await writer.writeFile("/long", bytes("short"));
  await writer.writeFile("/b", bytes("changed"));
  const undone = await at.undo();
  assertEquals([at.files.get("/long"), at.files.get("/b")], ["short", "bee"]);
  assertMatch(
    undoText(undone!, "/"),
    /- `b`\n\nLeft as they are:\n\n- `long`: .*could not be kept: `it had more/,
  );
  assertEquals(await at.undo(), undefined);
});

Deno.test("a write that failed is no change, and one that failed after another takes nothing from it", async () => {
  await using at = await setUp();
  at.files.set("/a", "one").set("/b", "bee");
  const writer = at.begin()(at.executor);
  await assertRejects(() => writer.writeFile("/b", bytes("x"), "another version"), FileError);
  await writer.writeFile("/a", bytes("two"));
  await assertRejects(() => writer.writeFile("/a", bytes("three"), "another version"), FileError);
  assertEquals((await at.undo())?.files, [{ path: "/a", back: "restored" }]);
  assertEquals([at.files.get("/a"), at.files.get("/b")], ["one", "bee"]);
});

Deno.test("a turn whose files are as they were before it is said to be so, and no other one is touched", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  await at.begin()(at.executor).writeFile("/a", bytes("two"));
  await at.begin()(at.executor).writeFile("/a", bytes("three"));
  at.files.set("/a", "two"); // the user took it back by themselves
  const undone = await at.undo();
  assertEquals(
    undoText(undone!, "/"),
    "Nothing of the turn `turn_2` was taken back: its files are as they were before it.",
  );
  assertEquals([at.files.get("/a"), at.logged("told")], ["two", []]);
  await at.undo();
  assertEquals(at.files.get("/a"), "one");
});

Deno.test("what was dropped for newer turns is said to be gone", async () => {
  await using at = await setUp();
  at.files.set("/a", "a".repeat(900)).set("/b", "b".repeat(900));
  await at.begin()(at.executor).writeFile("/a", bytes("A"));
  await at.begin()(at.executor).writeFile("/b", bytes("B"));
  assertEquals((await at.undo())?.files, [{ path: "/b", back: "restored" }]);
  const undone = await at.undo();
  assertEquals(undone?.files, [{ path: "/a", left: "what it held before is not kept any more" }]);
  assertMatch(undoText(undone!, "/"), /^Nothing of the turn `turn_1` was taken back\.\n\nLeft/);
  assertEquals(at.files.get("/a"), "A");
});

Deno.test("a file that changes while it is being taken back is left alone", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  await at.begin()(at.executor).writeFile("/a", bytes("two"));
  const read = at.snapshots.read.bind(at.snapshots);
  at.snapshots.read = async (turn, hash) => {
    at.files.set("/a", "the user's");
    return await read(turn, hash);
  };
  assertEquals((await at.undo())?.files, [{ path: "/a", left: "it was changed since" }]);
  assertEquals(at.files.get("/a"), "the user's");
});

Deno.test("an undo without an executor does and logs nothing", async () => {
  await using at = await setUp();
  at.files.set("/a", "one");
  await at.begin()(at.executor).writeFile("/a", bytes("two"));
  at.workbench.unconfinable = "no kernel layer";
  await assertRejects(() => at.undo(), AgentError, "no kernel layer");
  assertEquals([at.logged("undo.started"), at.workbench.wishes], [[], ["edit"]]);
  at.workbench.unconfinable = undefined;
  await at.undo();
  assertEquals(at.files.get("/a"), "one");
});

Deno.test("a cancelled undo tells what it did, and the next one does the rest", async () => {
  await using at = await setUp();
  at.files.set("/a", "one").set("/b", "bee");
  const writer = at.begin()(at.executor);
  await writer.writeFile("/a", bytes("two"));
  await writer.writeFile("/b", bytes("bie"));
  const cancel = new AbortController();
  const writeFile = at.executor.writeFile.bind(at.executor);
  at.executor.writeFile = async (...args) => {
    const written = await writeFile(...args);
    cancel.abort();
    return written;
  };
  await assertRejects(() => at.undo(cancel.signal), DOMException);
  assertEquals([at.files.get("/a"), at.files.get("/b")], ["two", "bee"]);
  assertMatch(JSON.stringify(at.logged("told")), /before it: \/b\. Read/);
  const undone = await at.undo();
  assertEquals(undone?.files.map((f) => [f.path, "back" in f]), [["/a", true], ["/b", true]]);
  assertEquals(at.files.get("/a"), "one");
});

Deno.test("the texts of an undo are bounded, and no name in them is markup", () => {
  const files = Array.from({ length: 80 }, (_, i) => ({ path: `/ws/f${i}`, back: "restored" } as const));
  const turn = {
    turn: "t",
    prompt: [{ type: "text", text: "# Fix\n`it`" } as const],
    files: [],
    commands: ["x".repeat(5000), "a\nb"],
    interrupted: false,
  };
  const text = undoText(
    { turn, files: [...files, { path: "/ws/![x](y)", left: "it was changed since" }] },
    "/ws",
  );
  assertMatch(text, /\n- `f49`\n- and 30 more\n/);
  assertMatch(text, /- `!\[x\]\(y\)`: it was changed since/);
  assertMatch(text, /- `x{100}…`\n- `a b`$/);
  assert(text.length < 3000);
  assertMatch(toldText(files)!, /\/ws\/f49 and 30 more\. Read/);
  assertEquals(toldText([{ path: "/a", left: "x" }]), undefined);
});
