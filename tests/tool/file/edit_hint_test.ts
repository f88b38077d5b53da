import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { missHint } from "../../../src/tool/file/edit_hint.ts";

const FILE = "function add(a, b) {\n\treturn a + b; // “sum”\n}\n\nconst NAME = 'add';  \nlast line";
const hint = (old_string: string, new_string = "x", text = FILE) =>
  missHint(text, { old_string, new_string });

Deno.test("missHint() tells how the text differs, and shows the file's own lines", () => {
  const cases: [old: string, reason: string, shown?: string][] = [
    ["     1\tfunction add(a, b) {\n     2\t\treturn a + b; // “sum”\n", "line numbers"],
    ["    return a + b; // “sum”", "Tabs and spaces", "     2\t\treturn a + b; // “sum”"],
    ["return  a + b; // “sum”", "white space", "     2\t"],
    ["const NAME = 'add';\nlast line", "ends of lines", "     5\tconst NAME = 'add';  \n     6\tlast line"],
    ['\treturn a + b; // "sum"', "Quotes", "     2\t"],
    ["const NAME = ‘add’;", "Quotes", "     5\t"],
    ["CONST name = 'add';", "Upper and lower case", "     5\t"],
    ["function add(a, b) {\\n\\treturn a + b;", "escaped once too often"],
    ["last line\n", "does not end in that line break"],
    ["function addd(a, c): number {", "nearest lines", "     1\tfunction add(a, b) {"],
  ];
  for (const [old, reason, shown = ""] of cases) {
    assertStringIncludes(hint(old), reason, old);
    assertStringIncludes(hint(old), shown, old);
  }
});

Deno.test("missHint() tells that an edit was made before", () => {
  assertStringIncludes(hint("const OLD = 1;", "const NAME = 'add';"), "there already (line 5)");
});

Deno.test("missHint() has nothing to show where nothing is alike", () => {
  for (const old of ["zzzzqqqq", "\n\n\n\n\n", "🦀"]) {
    assertEquals(hint(old), "Read the file again and copy the text exactly.");
  }
});

Deno.test("missHint() sees through CRLF, and stays short for long texts and files", () => {
  assertStringIncludes(hint("\tone", "x", "  one\r\n  two\r\n"), "     1\t  one");
  const long = Array.from({ length: 50_000 }, (_, i) => `value ${i} ${"y".repeat(i % 7)}`).join("\n");
  const many = Array.from({ length: 300 }, (_, i) => `valve ${i + 20}`).join("\n");
  assert(hint(many, "x", long).length < 3000);
  assert(hint("x".repeat(100_000), "x", "z".repeat(5_000_000)).length < 3000);
});
