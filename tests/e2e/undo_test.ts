import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { Editor } from "../support/editor.ts";
import { edit, read, use, write } from "../support/file_steps.ts";
import { exists, namesIn } from "../support/files.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { pick } from "./checks/check.ts";
import { textOf } from "../support/updates.ts";

const FILES = { "a.txt": "one\ntwo\n", "b.txt": "bee\n" };

/** What the agent answers to `/undo`. */
const undo = async (session: Session) => textOf((await session.run("/undo")).updates);
/** Runs calls in one turn, one after the other. */
const work = (session: Session, ...steps: Step[]) => session.run(script(...steps, ["text", "ok"]));
const disk = (stage: Stage, name: string) => Deno.readTextFile(stage.path(name));
const snapshots = (stage: Stage) => `${stage.stateDir}/snapshots`;

onStage("/undo takes back what the file tools changed", { files: FILES }, async (stage, t) => {
  const session = await stage.session();

  await t.step("says so where nothing was changed", async () => {
    assertEquals(await undo(session), "There are no file changes to take back.");
  });

  await t.step("edits, overwrites and new files of one turn, whatever their number", async () => {
    await Deno.chmod(stage.path("a.txt"), 0o750);
    await work(
      session,
      ["par", [read("a.txt"), read("b.txt")]],
      edit("a.txt", "one", "1"),
      edit("a.txt", "two", "2"),
      write("b.txt", "replaced\n"),
      write("sub/dir/new.txt", "new\n"),
      edit("sub/dir/new.txt", "new", "newer"),
    );
    assertEquals([await disk(stage, "a.txt"), await disk(stage, "b.txt")], ["1\n2\n", "replaced\n"]);
    const calls = stage.model.calls.length;
    const text = await undo(session);
    assertEquals(stage.model.calls.length, calls, "the model is not asked");
    assertEquals([await disk(stage, "a.txt"), await disk(stage, "b.txt")], ["one\ntwo\n", "bee\n"]);
    assertEquals([exists(stage.path("sub/dir/new.txt")), namesIn(stage.path("sub/dir"))], [false, []]);
    assertEquals((await Deno.stat(stage.path("a.txt"))).mode! & 0o777, 0o750);
    assertMatch(
      text,
      /^The changes of [^]* are taken back:[^]*\n- `a\.txt`\n- `b\.txt`\n- `sub\/dir\/new\.txt` \(removed\)$/,
    );
  });

  await t.step("tells the model, which has to read again before it writes over a file", async () => {
    await work(session, write("a.txt", "blind\n"));
    assertMatch(stage.model.told, /changed since you saw it last/);
    assertEquals(await disk(stage, "a.txt"), "one\ntwo\n");
    const users = stage.model.lastCall.messages.filter((m) => m.role === "user");
    const told = contentText(users.at(-1)!.content);
    assertMatch(told, /^The user took back your changes[^]*a\.txt, [^]*b\.txt, [^]*new\.txt \(removed\)\./);
    assert(told.indexOf("took back") < told.indexOf("MOCK"));
    await work(session, read("a.txt"), write("a.txt", "seen\n"));
    assertEquals(await disk(stage, "a.txt"), "seen\n");
  });

  await t.step("goes one turn further back with each", async () => {
    await work(session, edit("a.txt", "seen", "twice"));
    await session.run("Only words");
    await undo(session);
    assertEquals(await disk(stage, "a.txt"), "seen\n");
    await undo(session);
    assertEquals(await disk(stage, "a.txt"), "one\ntwo\n");
    assertEquals(await undo(session), "There are no file changes to take back.");
  });

  await t.step("leaves alone what was changed or removed since, and says so", async () => {
    await work(session, edit("a.txt", "one", "1"), write("gone.txt", "x"), write("mine.txt", "x"));
    await stage.write("a.txt", "the user's\n");
    await stage.write("mine.txt", "the user's\n");
    await Deno.remove(stage.path("gone.txt"));
    await work(session, edit("b.txt", "bee", "bie")); // another turn in between
    await undo(session);
    const text = await undo(session);
    assertEquals([await disk(stage, "a.txt"), await disk(stage, "mine.txt")], [
      "the user's\n",
      "the user's\n",
    ]);
    assertMatch(
      text,
      /^Nothing of [^]* was taken back[^]*Left as they are:\n\n- `a\.txt`: it was changed since\n- `mine\.txt`: it was changed since$/,
    );
    assertEquals(await disk(stage, "b.txt"), "bee\n");
  });

  await t.step("names the commands whose changes stay, but not those that only read", async () => {
    await stage.write("a.txt", "one\n");
    await work(
      session,
      ["bash", "cat b.txt"],
      read("a.txt"),
      edit("a.txt", "one", "1"),
      ["bash", "echo made > made.txt\n# two lines"],
    );
    const text = await undo(session);
    assertMatch(
      text,
      /- `a\.txt`\n\nWhat commands changed in it is not taken back:\n\n- `echo made > made\.txt # two lines`$/,
    );
    assertEquals([await disk(stage, "a.txt"), await disk(stage, "made.txt")], ["one\n", "made\n"]);
  });

  await t.step("follows links as the change did, and leaves them links", async () => {
    await stage.write("real.txt", "real\n");
    await Deno.symlink("real.txt", stage.path("link.txt"));
    await Deno.symlink("made-by-link.txt", stage.path("dangling.txt"));
    await work(
      session,
      read("link.txt"),
      edit("link.txt", "real", "changed"),
      edit("real.txt", "changed", "changed twice"),
      write("dangling.txt", "x"),
    );
    assertEquals(await disk(stage, "real.txt"), "changed twice\n");
    await undo(session);
    assertEquals([await disk(stage, "real.txt"), exists(stage.path("made-by-link.txt"))], ["real\n", false]);
    assert((await Deno.lstat(stage.path("link.txt"))).isSymlink);
    assert((await Deno.lstat(stage.path("dangling.txt"))).isSymlink);
  });

  await t.step(
    "does not follow a link that was put in a file's place to lead out of the workspace",
    async () => {
      await stage.write("c.txt", "before\n");
      await work(session, read("c.txt"), write("c.txt", "after\n"));
      await Deno.remove(stage.path("c.txt"));
      await Deno.writeTextFile(`${stage.outside}/c.txt`, "after\n");
      await Deno.symlink(`${stage.outside}/c.txt`, stage.path("c.txt"));
      assertMatch(await undo(session), /`c\.txt`: it may not be written with the permissions of now/);
      assertEquals(await Deno.readTextFile(`${stage.outside}/c.txt`), "after\n");
    },
  );

  await t.step("waits for the turn that runs", async () => {
    await stage.write("a.txt", "one\n");
    const turn = await session.begin(
      script(read("a.txt"), edit("a.txt", "one", "1"), ["gate", "later"], ["text", "ok"]),
    );
    await turn.until((u) => u.status === "completed" && u.title === undefined);
    const undoing = await session.begin("/undo");
    stage.model.open("later");
    await turn.end();
    assertMatch(textOf((await undoing.end()).updates), /are taken back/);
    assertEquals(await disk(stage, "a.txt"), "one\n");
  });
});

onStage("/undo reaches what sub-agents changed", { files: FILES }, async (stage) => {
  const session = await stage.session();
  const steps: Step[] = [read("a.txt"), edit("a.txt", "one", "1"), ["bash", "touch made"], ["text", "done"]];
  await work(session, read("b.txt"), write("b.txt", "b\n"), [
    "tool",
    "subagent",
    { task: script(...steps), write: true },
  ]);
  assertEquals(await disk(stage, "a.txt"), "1\ntwo\n");
  const text = await undo(session);
  assertEquals([await disk(stage, "a.txt"), await disk(stage, "b.txt")], ["one\ntwo\n", "bee\n"]);
  assertStringIncludes(text, "- `touch made`");
});

onStage(
  "/undo after the agent was started anew",
  { client: plainCapabilities, files: FILES },
  async (stage, t) => {
    const [session, other] = [await stage.session(), await stage.session()];
    await work(session, read("a.txt"), edit("a.txt", "one", "1"));
    await work(other, read("b.txt"), edit("b.txt", "bee", "bie"));
    assertEquals(namesIn(snapshots(stage)), [session.id, other.id].sort());
    await stage.stop();
    await stage.start();
    const loaded = await stage.load(session.id);

    await t.step("is shown again by a load, frame for frame", async () => {
      const text = await undo(loaded);
      assertMatch(text, /^The changes of [^]* are taken back/);
      assertEquals([await disk(stage, "a.txt"), await disk(stage, "b.txt")], ["one\ntwo\n", "bie\n"]);
      await stage.agent.call("session/close", { sessionId: session.id });
      const from = stage.agent.frames.length;
      await stage.load(session.id);
      assert(textOf(stage.agent.updatesOf(session.id, from)).endsWith(text));
      assertEquals(await undo(loaded), "There are no file changes to take back.", "it stays undone");
    });

    await t.step("is not for a fork, which says where it can be done", async () => {
      const { sessionId } = await stage.agent.call("session/fork", {
        sessionId: other.id,
        cwd: stage.workspace,
        mcpServers: [],
      });
      const from = stage.agent.frames.length;
      await stage.agent.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "/undo" }] });
      assertMatch(
        textOf(stage.agent.updatesOf(String(sessionId), from)),
        /no file changes to take back\. .*before this session was forked/,
      );
      assertEquals(await disk(stage, "b.txt"), "bie\n");
    });

    await t.step("what is kept is closed to others, and goes with its session", async () => {
      const [turn] = namesIn(`${snapshots(stage)}/${other.id}`);
      const [kept] = namesIn(`${snapshots(stage)}/${other.id}/${turn}`);
      const path = `${snapshots(stage)}/${other.id}/${turn}/${kept}`;
      assertEquals([await Deno.readTextFile(path), (await Deno.stat(path)).mode! & 0o777], ["bee\n", 0o600]);
      assertEquals((await Deno.stat(`${snapshots(stage)}/${other.id}`)).mode! & 0o777, 0o700);
      await work(loaded, ["bash", `cat ${path}; ls ${snapshots(stage)}`], read(path));
      assertEquals(
        stage.model.lastCall.messages.some((m) => contentText(m.content).includes("bee\n")),
        false,
      );
      await stage.agent.call("session/delete", { sessionId: other.id });
      assert(!namesIn(snapshots(stage)).includes(other.id));
      await work(loaded, read("a.txt"), edit("a.txt", "one", "1"));
      await stage.stop();
      await runProgram(stage, ["sessions", "delete", session.id]);
      assertEquals(namesIn(snapshots(stage)), []);
    });
  },
);

onStage("/undo through the editor", { client: zedCapabilities, files: FILES }, async (stage, t) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const session = await stage.session();
  const at = (name: string) => stage.path(name);

  await t.step("restores what the user had not saved when the agent changed it", async () => {
    editor.buffers.set(at("a.txt"), "one\nunsaved\n");
    await work(session, read("a.txt"), edit("a.txt", "one", "1"), write("new.txt", "new\n"));
    assertEquals(editor.buffers.get(at("a.txt")), "1\nunsaved\n");
    assertMatch(await undo(session), /`a\.txt`\n- `new\.txt` \(removed\)$/);
    assertEquals([editor.buffers.get(at("a.txt")), await disk(stage, "a.txt")], [
      "one\nunsaved\n",
      "one\nunsaved\n",
    ]);
    assertEquals(exists(at("new.txt")), false);
    editor.buffers.delete(at("new.txt"));
  });

  await t.step("leaves alone what has unsaved changes by now", async () => {
    await work(session, edit("a.txt", "one", "1"), write("new.txt", "new\n"));
    editor.buffers.set(at("a.txt"), "1\ntyped\n");
    editor.buffers.set(at("new.txt"), "new\ntyped\n");
    assertMatch(
      await undo(session),
      /^Nothing[^]*`a\.txt`: it was changed since\n- `new\.txt`: it was changed since$/,
    );
    assertEquals(editor.buffers.get(at("a.txt")), "1\ntyped\n");
    assertEquals(exists(at("new.txt")), true);
  });

  await t.step("knows what the editor made of a text on saving", async () => {
    await use(session, read("b.txt"));
    editor.onSave = (text) => text.replaceAll("a=b", "a = b;");
    await work(session, write("b.txt", "let a=b\n"));
    assertEquals(await disk(stage, "b.txt"), "let a = b;\n");
    editor.onSave = (text) => text;
    assertMatch(await undo(session), /^The changes of [^]* are taken back/);
    assertEquals(await disk(stage, "b.txt"), "bee\n");
  });
});

for (const preset of ["confirm", "read-only", "full-access"]) {
  onStage(`/undo asks nothing in ${preset}`, { files: FILES, env: { DSH_PRESET: preset } }, async (stage) => {
    const questions: string[] = [];
    stage.agent.onRequest = (request): Answer => {
      questions.push(request.method!);
      return pick("allow_once")(request);
    };
    const session = await stage.session();
    const path = preset === "full-access" ? `${stage.outside}/new.txt` : stage.path("new.txt");
    await work(session, read("a.txt"), edit("a.txt", "one", "1"), write(path, "new\n"));
    assertEquals([await disk(stage, "a.txt"), exists(path)], ["1\ntwo\n", true]);
    assertEquals(questions.length, preset === "full-access" ? 0 : 2);
    questions.length = 0;
    assertMatch(await undo(session), /^The changes of [^]* are taken back/);
    assertEquals([await disk(stage, "a.txt"), exists(path), questions], ["one\ntwo\n", false, []]);
  });
}

onStage(
  "/undo under tighter permissions leaves what lies outside",
  { env: { DSH_PRESET: "full-access" } },
  async (stage) => {
    const session = await stage.session();
    const path = `${stage.outside}/new.txt`;
    await work(session, write(path, "new\n"), write("in.txt", "new\n"));
    await session.run("/permission workspace");
    const text = await undo(session);
    assertMatch(
      text,
      /- `in\.txt` \(removed\)\n\nLeft[^]*new\.txt`: it may not be written with the permissions of now$/,
    );
    assertEquals([exists(path), exists(stage.path("in.txt"))], [true, false]);
  },
);

onStage("where nothing can be kept the work goes on, and /undo says so", { files: FILES }, async (stage) => {
  await Deno.mkdir(stage.stateDir);
  await Deno.writeTextFile(snapshots(stage), "in the way");
  const session = await stage.session();
  await work(session, read("a.txt"), edit("a.txt", "one", "1"), write("new.txt", "x"));
  assertEquals(await disk(stage, "a.txt"), "1\ntwo\n");
  const text = await undo(session);
  assertMatch(
    text,
    /- `new\.txt` \(removed\)\n\nLeft as they are:\n\n- `a\.txt`: what it held before could not be kept: /,
  );
  assertEquals(await disk(stage, "a.txt"), "1\ntwo\n");
});

onStage("an undo that was broken off is brought to its end by the next one", {
  client: zedCapabilities,
  files: FILES,
}, async (stage) => {
  const editor = new Editor();
  stage.agent.onRequest = editor.answer;
  const session = await stage.session();
  await work(session, read("a.txt"), read("b.txt"), edit("a.txt", "one", "1"), edit("b.txt", "bee", "bie"));
  const asked = Promise.withResolvers<void>();
  editor.instead = ({ method, params }) => {
    if (method !== "fs/write_text_file" || !String((params as { path: string }).path).endsWith("a.txt")) {
      return;
    }
    asked.resolve();
    return new Promise<Answer>(() => {});
  };
  await session.begin("/undo");
  await asked.promise;
  await stage.agent.kill("SIGKILL");
  await stage.stop();
  assertEquals([await disk(stage, "a.txt"), await disk(stage, "b.txt")], ["1\ntwo\n", "bee\n"]);
  await stage.start({ client: plainCapabilities });
  const loaded = await stage.load(session.id);
  assertMatch(await undo(loaded), /^The changes of [^]* are taken back:[^]*- `a\.txt`\n- `b\.txt`$/);
  assertEquals(await disk(stage, "a.txt"), "one\ntwo\n");
  assertEquals(await undo(loaded), "There are no file changes to take back.");
});

onEmptyStage("/undo works also where sessions cannot be kept", { files: FILES }, async (stage) => {
  const file = `${stage.outside}/not-a-folder`;
  await Deno.writeTextFile(file, "");
  await stage.start({ env: { DSH_STATE_DIR: `${file}/state` } });
  const session = await stage.session();
  await work(session, read("a.txt"), edit("a.txt", "one", "1"));
  assertMatch(await undo(session), /are taken back/);
  assertEquals(await disk(stage, "a.txt"), "one\ntwo\n");
  await stage.stop();
  assertEquals(namesIn(stage.tempDir), []);
});
