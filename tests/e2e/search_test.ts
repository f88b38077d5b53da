import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { processesRunning, uniqueSleep } from "../support/process_tree.ts";
import { cardsOf, isTurnBound, joinChunks, onlyCard, toolText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";

const FILES = {
  "src/a.ts": "const one = 1;\nconst needle = 2;\n",
  "src/deep/b.ts": "needle();\n",
  "notes.md": "a needle in Markdown\n",
  "dist/gen.ts": "needle\n",
  ".gitignore": "dist/\n",
  ".git/config": "needle\n",
};

onStage("a search", { files: FILES }, async (stage, t) => {
  const session = await stage.session();
  const use = async (tool: string, args: Fields) =>
    onlyCard((await session.run(script(["tool", tool, args], ["text", "ok"]))).updates);

  await t.step("finds lines; the card shows them, and links to them", async () => {
    const card = await use("grep", { pattern: "needle", glob: "*.ts" });
    assertEquals([card.call.title, card.call.kind, card.status], [
      "Grep `needle` in `*.ts`",
      "search",
      "completed",
    ]);
    assertEquals(stage.model.told, "src/a.ts\n2:const needle = 2;\n\nsrc/deep/b.ts\n1:needle();");
    assertEquals(toolText(card.last), `2 lines in 2 files.\n\n\`\`\`\n${stage.model.told}\n\`\`\``);
    assertEquals(card.last.locations, [
      { path: stage.path("src/a.ts"), line: 2 },
      { path: stage.path("src/deep/b.ts"), line: 1 },
    ]);
  });

  await t.step(
    "finds files, by relative and by absolute patterns, and leaves out what is ignored",
    async () => {
      for (const pattern of ["**/*.ts", "src/**/*.ts", `${stage.workspace}/**/*.ts`]) {
        const card = await use("glob", { pattern });
        assertEquals([card.call.kind, card.status], ["search", "completed"]);
        assertEquals(stage.model.told.split("\n").sort(), ["src/a.ts", "src/deep/b.ts"], pattern);
      }
      await use("glob", { pattern: "**/*" });
      assertEquals(stage.model.told.split("\n").sort(), [
        ".gitignore",
        "notes.md",
        "src/a.ts",
        "src/deep/b.ts",
      ]);
    },
  );

  await t.step("without a match is no failure", async () => {
    const card = await use("grep", { pattern: "nowhere-at-all" });
    assertEquals([card.status, toolText(card.last)], ["completed", "No matches."]);
    assertMatch(stage.model.told, /^No matches/);
  });

  await t.step("that makes no sense fails, and teaches", async () => {
    const cases: [string, Fields, RegExp][] = [
      ["grep", { pattern: "fo(" }, /unclosed group[^]*fixed_strings/],
      ["grep", { pattern: "x", path: "nowhere" }, /nowhere.*no such/],
      ["glob", { pattern: "nowhere/*.ts" }, /nowhere.*no such/],
      ["grep", { pattern: "x", type: "nonsense" }, /use glob/],
      ["grep", {}, /pattern/],
    ];
    for (const [tool, args, told] of cases) {
      assertEquals((await use(tool, args)).status, "failed");
      assertMatch(stage.model.told, told);
    }
    await use("grep", { pattern: "fo(", fixed_strings: true });
    assertMatch(stage.model.told, /^No matches/);
  });

  await t.step("goes on where the page before it ended", async () => {
    await stage.write("long.txt", "page\n".repeat(7));
    await use("grep", { pattern: "page", head_limit: 5 });
    assertStringIncludes(stage.model.told, "5:page\n[2 more lines: use offset=5]");
    await use("grep", { pattern: "page", head_limit: 5, offset: 5 });
    assertEquals(stage.model.told, "long.txt\n6:page\n7:page");
  });

  await t.step("reads outside of the workspace, as read does, but no secrets", async () => {
    await use("grep", { pattern: "^root:", path: "/etc/passwd" });
    assertMatch(stage.model.told, /^\/etc\/passwd\n\d+:root:/);
    for (const path of [stage.stateDir, `${stage.home}/.ssh`]) {
      await Deno.mkdir(path, { recursive: true });
      await Deno.writeTextFile(`${path}/s`, "needle secret\n");
      assertEquals((await use("grep", { pattern: "needle", path })).status, "failed", path);
      assert(!stage.model.told.includes("secret\n"));
    }
  });

  await t.step("of names that look like anything is told in one line each", async () => {
    await stage.write("odd/two\nlines.txt", "x");
    await stage.write("odd/`tick` 🦕.txt", "x");
    const card = await use("glob", { pattern: "odd/*" });
    assertEquals(stage.model.told.split("\n").sort(), ['"odd/two\\nlines.txt"', "odd/`tick` 🦕.txt"]);
    assertEquals(card.last.locations?.length, 2);
  });
});

const ROUND: Step[] = [
  ["par", [
    ["tool", "grep", { pattern: "needle", context: 1 }],
    ["tool", "read", { path: "notes.md" }],
    ["tool", "glob", { pattern: "*.ts", path: "src" }],
    ["tool", "grep", { pattern: "needle(", output_mode: "count" }],
    ["tool", "grep", { pattern: "needle", output_mode: "files" }],
  ]],
  ["text", "ok"],
];

for (const [name, client] of [["terminal cards", undefined], ["none", plainCapabilities]] as const) {
  onStage(`searches of one reply run beside reads, and look the same again, to a client with ${name}`, {
    files: FILES,
    ...(client && { client }),
  }, async (stage) => {
    const live = await stage.session();
    const { updates } = await live.run(script(...ROUND));
    assertEquals(cardsOf(updates).map((card) => card.status), [
      ...["completed", "completed", "completed"],
      ...["failed", "completed"],
    ]);
    const results = stage.model.lastCall.messages.filter((m) => m.role === "tool");
    assertEquals(results.length, 5);
    assertStringIncludes(contentText(results[1]!.content), "a needle in Markdown");
    const told = joinChunks(stage.agent.updatesOf(live.id).filter(isTurnBound));
    await stage.stop();

    await stage.start(client ? { client } : {});
    await stage.load(live.id);
    const replayed = joinChunks(stage.agent.updatesOf(live.id).filter(isTurnBound));
    const order = (all: typeof told) =>
      all.filter((u) => u.sessionUpdate !== "user_message_chunk").toSorted((a, b) =>
        `${a.toolCallId}${a.sessionUpdate}`.localeCompare(`${b.toolCallId}${b.sessionUpdate}`)
      );
    assertEquals(order(replayed), order(told));
  });
}

onStage("a read does not wait for a search beside it, and a cancel ends the search", {
  files: { "a.txt": "needle\n" },
}, async (stage) => {
  await Deno.mkdir(`${stage.root}/bin`);
  const nap = uniqueSleep();
  await Deno.writeTextFile(`${stage.root}/bin/rg`, `#!/bin/sh\n${nap} & wait\n`, { mode: 0o755 });
  await stage.start({ env: { PATH: `${stage.root}/bin:${Deno.env.get("PATH")}` } });
  const session = await stage.session();
  const turn = await session.begin(script(
    ["par", [["tool", "grep", { pattern: "needle" }], ["tool", "read", { path: "a.txt" }]]],
    ["text", "late"],
  ));
  // The search hangs; the read beside it ends all the same.
  await turn.until((u) => toolText(u).includes("needle\n"), "what was read");
  await eventually("the search runs", () => processesRunning(nap).length > 0);
  await session.cancel();
  const { stopReason, updates } = await turn.end();
  assertEquals(stopReason, "cancelled");
  assertEquals(cardsOf(updates).map((card) => card.status).sort(), ["completed", "failed"]);
  await eventually("the search is gone", () => processesRunning(nap).length === 0);
});
