import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists, namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { runProgram } from "../support/program.ts";
import type { Stage } from "../support/stage.ts";
import { alterDatabase } from "../support/stored.ts";
import type { Fields } from "../support/wire.ts";

/** Runs `sessions` with these words; it has to end well and be silent on stderr. */
async function sessions(stage: Stage, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(stage, ["sessions", ...args]);
  assertEquals([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

/** A session of one turn with a command and an edit, of an agent that has ended. */
async function storedSession(stage: Stage): Promise<string> {
  const session = await stage.session();
  await session.run(
    "Count to two\n" + script(
      ["think", "hm"],
      ["text", "I will count.", { chunks: 4, ms: 20 }],
      ["bash", "echo one; printf '\\033[31mtwo\\033[0m\\n'; exit 3"],
      ["tool", "write", { path: "new.txt", content: "x\n" }],
      ["text", "Counted."],
    ),
  );
  await stage.stop();
  return session.id;
}

onStage("sessions list shows what there is, as a table and as JSON", {}, async (stage) => {
  const id = await storedSession(stage);
  const [head, row, ...more] = (await sessions(stage, "list")).trimEnd().split("\n");
  assertMatch(head!, /^ID +UPDATED +WORKSPACE +TITLE$/);
  assertMatch(
    row!,
    new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  ${stage.workspace}  Count to two`),
  );
  assertEquals(more, []);
  assertEquals(await sessions(stage), await sessions(stage, "list"));
  const [told, ...others] = JSON.parse(await sessions(stage, "list", "--json")) as Fields[];
  assertEquals([told!.sessionId, told!.cwd, others], [id, stage.workspace, []]);
  assertEquals(new Date(String(told!.updatedAt)).toISOString(), told!.updatedAt);
});

onStage("sessions show reads like a conversation, without what would steer a terminal", {}, async (stage) => {
  const id = await storedSession(stage);
  const text = await sessions(stage, "show", id);
  const parts = [
    "# Count to two",
    "## User",
    "Count to two",
    "## Agent",
    "I will count.",
    "$ echo one",
    "two",
  ];
  let at = 0;
  for (const part of [...parts, "[exit code: 3]", "* ", "new.txt", "Counted."]) {
    at = text.indexOf(part, at);
    assert(at >= 0, `${part} is missing, or stands elsewhere:\n${text}`);
  }
  assert(!text.includes("\x1b"));
  const { events } = JSON.parse(await sessions(stage, "show", id, "--json")) as { events: Fields[] };
  assertEquals(events.map((e) => e.seq), events.map((_, i) => i));
});

onStage("sessions export gives one event a line, a damaged one as it is", {}, async (stage) => {
  const id = await storedSession(stage);
  alterDatabase(stage.stateDir, "UPDATE events SET event = ? WHERE session = ? AND seq = 3", '{"ty', id);
  const lines = (await sessions(stage, "export", id)).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map((line) => line.seq), lines.map((_, i) => i));
  assertEquals(lines[0].event.type, "session.created");
  assertEquals([lines[3].event, lines[3].unread], [undefined, '{"ty']);
  assertEquals(lines.at(-1).event.type, "turn.ended");
  assertStringIncludes(await sessions(stage, "show", id), "[event 3 cannot be read]");
});

onStage("sessions delete removes one, unless an agent has it open", {}, async (stage) => {
  const id = await storedSession(stage);
  await stage.start();
  await stage.load(id);
  const held = await runHeld(stage, id);
  assertEquals([held.code, held.stdout], [1, ""]);
  assertMatch(held.stderr, /another process/);
  await stage.stop();
  assertEquals(await sessions(stage, "delete", id), `Deleted: ${id}\n`);
  assertEquals(await sessions(stage, "list"), "There are no sessions.\n");
  assert(!exists(`${stage.stateDir}/tmp/${id}`));
  assertEquals(namesIn(`${stage.stateDir}/locks`), []);
});

/** Runs `sessions delete` beside an agent, whose processes are no leftovers of the program. */
async function runHeld(stage: Stage, id: string) {
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", new URL("../../mod.ts", import.meta.url).pathname, "sessions", "delete", id],
    env: stage.environment(),
    clearEnv: true,
    stdin: "null",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: output.code, stdout: decode(output.stdout), stderr: decode(output.stderr) };
}

onEmptyStage(
  "sessions tells an unknown id from a wrong use, and makes no store by looking",
  {},
  async (stage) => {
    assertEquals(await sessions(stage, "list"), "There are no sessions.\n");
    assertEquals(await sessions(stage, "list", "--json"), "[]\n");
    for (const action of ["show", "export", "delete"]) {
      const { code, stdout, stderr } = await runProgram(stage, ["sessions", action, "sess_nope"]);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^dsh-acp: There is no session "sess_nope".*\n$/);
    }
    assert(!exists(stage.stateDir));
    const wrong = [["nope"], ["show"], ["delete"], ["export"], ["list", "x"], ["show", "a", "b"], [
      "list",
      "--nope",
    ]];
    for (const args of wrong) {
      const { code, stdout } = await runProgram(stage, ["sessions", ...args]);
      assertEquals([code, stdout], [2, ""], args.join(" "));
    }
  },
);
