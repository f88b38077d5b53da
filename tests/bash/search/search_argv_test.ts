import { assertEquals } from "@std/assert";
import { searchArgv } from "../../../src/bash/search/search_argv.ts";
import { cutLine } from "../../../src/bash/search/search_output.ts";
import { MAX_LINE_TEXT, type TextSearch } from "../../../src/bash/search/search.ts";
import { packagedRipgrep, RIPGREP_PACKAGE } from "../../../src/bash/search/ripgrep.ts";

const TEXT: TextSearch = {
  ...{ pattern: "--pre=x", give: "lines", before: 2, after: 0 },
  ...{ ignoreCase: true, fixed: true, multiline: true, type: "-f", names: "-g", without: "-x" },
};

Deno.test("searchArgv() puts each text into one argument with its flag, and the place behind --", () => {
  const argv = searchArgv({ path: "/ws", text: TEXT, skip: 0, limit: 1, timeoutMs: 1 }, "./-e");
  assertEquals(argv.slice(-2), ["--", "./-e"]);
  for (const each of ["--no-config", "--regexp=--pre=x", "--type=-f", "--glob=!-x", "--before-context=2"]) {
    assertEquals(argv.filter((a) => a === each), [each]);
  }
  assertEquals(argv.slice(0, -2).filter((a) => !a.startsWith("--")), []);
  assertEquals(argv.includes("--type-add=asked:-g"), false, "a type alone narrows");
  const { type: _, ...named } = TEXT;
  const again = searchArgv({ path: "/ws", text: named, skip: 0, limit: 1, timeoutMs: 1 }, ".");
  assertEquals(again.filter((a) => a.includes("asked")), ["--type-add=asked:-g", "--type=asked"]);
});

Deno.test("cutLine() keeps what stands around the match, and whole characters", () => {
  assertEquals(cutLine("short", 0), "short");
  const dinosaurs = "🦕".repeat(2000);
  for (const at of [0, 1, 999, 1000, 3999]) {
    const cut = cutLine(dinosaurs, at);
    assertEquals(cut.isWellFormed() && cut.length < MAX_LINE_TEXT + 80, true, `${at}`);
  }
  assertEquals(cutLine(`${"a".repeat(1000)}X`, 1000), `[501 characters] …${"a".repeat(499)}X`);
});

Deno.test("the packaged ripgrep is the version that deno.json names", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../../../deno.json", import.meta.url)));
  assertEquals(imports["@vscode/ripgrep"], RIPGREP_PACKAGE);
});

Deno.test("packagedRipgrep() gives nothing where the package has none, or cannot be had", async () => {
  for (const module of ["export const rgPath = '/nowhere/rg'", "throw new Error('no such platform')"]) {
    assertEquals(await packagedRipgrep(`data:text/javascript,${encodeURIComponent(module)}`), undefined);
  }
  const own = `export const rgPath = ${JSON.stringify(Deno.execPath())}`;
  assertEquals(await packagedRipgrep(`data:text/javascript,${encodeURIComponent(own)}`), Deno.execPath());
});
