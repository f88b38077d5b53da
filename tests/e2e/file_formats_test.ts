import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { encodeText } from "../../src/tool/file/text_format.ts";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { type Card, onlyCard, toolContent, toolText } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

async function tools(stage: Stage) {
  const session = await stage.session();
  return async (tool: string, args: Fields): Promise<Card> =>
    onlyCard((await session.run(script(["tool", tool, args], ["text", "ok"]))).updates);
}

const FORMATS = {
  "UTF-8 with byte order mark": { encoding: "utf-8", bom: true },
  "UTF-16LE": { encoding: "utf-16le", bom: true },
  "UTF-16BE": { encoding: "utf-16be", bom: true },
} as const;

onStage("a text file keeps its format", {}, async (stage, t) => {
  const use = await tools(stage);

  for (const [name, format] of Object.entries(FORMATS)) {
    await t.step(`${name}, with CRLF`, async () => {
      const bytes = () => Deno.readFile(stage.path("f.txt"));
      await Deno.writeFile(stage.path("f.txt"), encodeText("eins\r\nzwei €\r\n", format));
      const shown = await use("read", { path: "f.txt" });
      assertMatch(stage.model.told, /1\teins\n +2\tzwei €\n/);
      assertStringIncludes(stage.model.told, `[${name}, CRLF line ends; edit and write keep that]`);
      assertEquals(toolText(shown.last), "```\neins\nzwei €\n```");
      await use("edit", { path: "f.txt", old_string: "eins\nzwei", new_string: "1\n1½\n2" });
      assertEquals(await bytes(), encodeText("1\r\n1½\r\n2 €\r\n", format));
      await use("write", { path: "f.txt", content: "neu\nganz\n" });
      assertEquals(await bytes(), encodeText("neu\r\nganz\r\n", format));
      assertStringIncludes(stage.model.told, `Kept as it was: ${name}, CRLF line ends.`);
    });
  }

  await t.step("CRLF that the model writes stays as it is, in a new file and over one", async () => {
    await use("write", { path: "new.txt", content: "a\r\nb\r\n" });
    assertEquals(await Deno.readTextFile(stage.path("new.txt")), "a\r\nb\r\n");
    await use("write", { path: "new.txt", content: "a\r\nb\nc\n" });
    assertEquals(await Deno.readTextFile(stage.path("new.txt")), "a\r\nb\nc\n");
  });

  await t.step("no line break at the end, and none is made", async () => {
    await stage.write("last.txt", "one\ntwo");
    await use("edit", { path: "last.txt", old_string: "two", new_string: "2" });
    assertEquals(await Deno.readTextFile(stage.path("last.txt")), "one\n2");
  });
});

/** 50 MB of lines. */
async function writeLarge(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  for (let part = 0; part < 50; part++) {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `line ${part * 10_000 + i + 1} `.padEnd(98, ".") + "€",
    );
    await file.write(new TextEncoder().encode(lines.join("\n") + "\n"));
  }
}

onStage("a file tool gives the right answer or a clear one", {}, async (stage, t) => {
  const use = await tools(stage);

  await t.step("to a range in the middle of a large file, and at its end", async () => {
    await writeLarge(stage.path("large.txt"));
    assert((await Deno.stat(stage.path("large.txt"))).size > 50_000_000);
    for (const [offset, limit, last] of [[200_000, 3, 200_002], [499_999, 9, 500_000]] as const) {
      const card = await use("read", { path: "large.txt", offset, limit });
      assertEquals([card.status, card.call.title], [
        "completed",
        `Read \`large.txt\` lines ${offset}-${offset + limit - 1}`,
      ]);
      assertStringIncludes(stage.model.told, `${offset}\tline ${offset} `);
      assertStringIncludes(stage.model.told, `${last}\tline ${last} `);
    }
    await use("read", { path: "large.txt" });
    assertStringIncludes(stage.model.told, "[more lines: read again with offset");
    assertEquals((await use("read", { path: "large.txt", offset: 500_001 })).status, "failed");
    assertStringIncludes(stage.model.told, "has 500000 lines; offset 500001 is past its end");
  });

  await t.step("to an edit of a large file", async () => {
    assertEquals(
      (await use("edit", { path: "large.txt", old_string: "a", new_string: "b" })).status,
      "failed",
    );
    assertStringIncludes(stage.model.told, "too many for this tool. Use bash");
  });

  await t.step("to one endless line", async () => {
    await Deno.writeTextFile(stage.path("line.json"), "x".repeat(20_000_000));
    await use("read", { path: "line.json" });
    assertMatch(stage.model.told, /^ +1\tx{2000}… \[19998000 more characters in this line\]$/);
  });

  await t.step("to a directory", async () => {
    await stage.write("dir/sub/x", "");
    await stage.write("dir/a b.txt", "");
    await Deno.symlink("sub", stage.path("dir/link"));
    const card = await use("read", { path: "dir" });
    assertEquals([card.status, toolText(card.last)], ["completed", "```\na b.txt\nlink@\nsub/\n```"]);
    await Deno.mkdir(stage.path("none"));
    await use("read", { path: "none" });
    assertStringIncludes(stage.model.told, "is an empty directory");
    assertEquals((await use("write", { path: "dir", content: "x" })).status, "failed");
    assertStringIncludes(stage.model.told, "is a directory");
  });

  await t.step("to links in a loop, closed and read-only files, FIFOs", async () => {
    await Deno.symlink("loop2", stage.path("loop1"));
    await Deno.symlink("loop1", stage.path("loop2"));
    await Deno.writeTextFile(stage.path("closed"), "x", { mode: 0 });
    await Deno.writeTextFile(stage.path("ro"), "x", { mode: 0o444 });
    await new Deno.Command("mkfifo", { args: [stage.path("fifo")] }).output();
    const cases: [tool: string, path: string, why: RegExp][] = [
      ["read", "loop1", /loop|[Tt]oo many levels/],
      ["write", "loop1", /loop/],
      ["read", "closed", /denied|[Pp]ermission/],
      ["edit", "ro", /read-only by its mode/],
      ["write", "ro", /read-only by its mode/],
      ["write", "fifo", /no regular file/],
      ["edit", "fifo", /no regular file/],
      ["edit", "gone", /no such file/],
    ];
    for (const [tool, path, why] of cases) {
      const card = await use(tool, { path, content: "y", old_string: "x", new_string: "y" });
      assertEquals([card.status, path], ["failed", path]);
      assertMatch(stage.model.told, why, `${tool} ${path}`);
    }
    assertEquals(await Deno.readTextFile(stage.path("ro")), "x");
    assertEquals(namesIn(stage.workspace).filter((name) => name.startsWith(".dsh-")), []);
  });

  await t.step("to names with spaces, line breaks and emoji", async () => {
    for (const path of [" a b ", "line\nbreak.txt", "🙂/é.txt", "`tick`"]) {
      const card = await use("write", { path, content: "x\n" });
      const diff = toolContent(card.last).find((c) => c.type === "diff");
      assertEquals([card.status, diff?.path], ["completed", stage.path(path)]);
      assertEquals(String(card.call.title).includes("\n"), false);
      await use("read", { path });
      assertMatch(stage.model.told, /1\tx/);
    }
  });

  await t.step("to a change that is too long to be shown, which is cut with a note", async () => {
    const content = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join("");
    await stage.write("many.txt", content);
    const card = await use("edit", {
      path: "many.txt",
      old_string: "line",
      new_string: "LINE",
      replace_all: true,
    });
    assertEquals(card.status, "completed");
    assertEquals(await Deno.readTextFile(stage.path("many.txt")), content.replaceAll("line", "LINE"));
    assertMatch(JSON.stringify(card.last.content), /left out/);
    const far = await use("edit", {
      path: "many.txt",
      edits: Array.from({ length: 300 }, (_, i) => ({
        old_string: `LINE ${i * 100 + 7}\n`,
        new_string: `${"long ".repeat(50)}${i}\n`,
      })),
    });
    assertMatch(toolText(far.last), /\d+ more changes left out/);
    assertStringIncludes(stage.model.told, "in 300 places (lines 8, 108, ");
  });
});
