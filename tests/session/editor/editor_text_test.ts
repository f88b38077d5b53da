import { assertEquals, assertNotEquals } from "@std/assert";
import {
  formatVersion,
  hashOf,
  inEditorForm,
  inFileForm,
  isFormatted,
  parseVersion,
  plain,
  textOf,
} from "../../../src/session/editor/editor_text.ts";

Deno.test("textOf() takes UTF-8 for text, and nothing else", () => {
  assertEquals(textOf(new TextEncoder().encode("\uFEFFä\r\n")), "\uFEFFä\r\n");
  assertEquals(textOf(Uint8Array.of(0xe4)), undefined);
  assertEquals(textOf(Uint8Array.of(65, 0)), undefined);
});

Deno.test("inFileForm() gives an editor's text the file's line ends and mark", () => {
  const cases: [own: string, disk: string, expected: string][] = [
    ["a\nb\n", "x\ny\n", "a\nb\n"],
    ["a\nb\n", "x\r\ny\r\n", "a\r\nb\r\n"],
    ["a\n", "\uFEFFx\n", "\uFEFFa\n"],
    ["\uFEFFa\r\n", "\uFEFFx\r\n", "\uFEFFa\r\n"],
    ["a\r\nb\n", "x\r\n", "a\r\nb\n"], // an editor that keeps line ends means what it says
    ["a\nb\n", "x\r\ny\n", "a\nb\n"], // which lines had CRLF is not known
  ];
  for (const [own, disk, expected] of cases) assertEquals(inFileForm(own, disk), expected);
});

Deno.test("inEditorForm() speaks to an editor as it spoke", () => {
  assertEquals(inEditorForm("\uFEFFa\r\n", "x\n", "\uFEFFx\r\n"), "a\n");
  assertEquals(inEditorForm("\uFEFFa\r\n", "\uFEFFx\r\n", "\uFEFFx\r\n"), "\uFEFFa\r\n");
  assertEquals(inEditorForm("a\r\n", "x\n", "x\n"), "a\r\n"); // new line ends that are meant
});

Deno.test("plain() makes one text of all that editors make of it", () => {
  assertEquals(plain("\uFEFFa\r\nb\n"), "a\nb\n");
});

Deno.test("isFormatted() knows formatting from another text", () => {
  const code = "const a=b;\nfunction f(x){return x+a}\n";
  const pretty = "const a = b;\n\nfunction f(x) {\n  return x + a;\n}\n";
  assertEquals([isFormatted(pretty, code), isFormatted(code, code)], [true, true]);
  for (const other of ["", code.slice(0, 20), "something else\n", code + code]) {
    assertEquals(isFormatted(other, code), false, other);
  }
  assertEquals(isFormatted("garbage", "{}\n"), false);
});

Deno.test("a version keeps hash and disk version, whatever that looks like", async () => {
  const hash = await hashOf("a");
  assertNotEquals(hash, await hashOf("b"));
  for (const disk of ["1:2:3", "", "editor:x:y", "a\nb"]) {
    assertEquals(parseVersion(formatVersion({ hash, disk })), { hash, disk });
  }
  for (const version of [undefined, "missing", "1:2:3"]) assertEquals(parseVersion(version), undefined);
});
