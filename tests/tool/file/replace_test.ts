import { assertEquals, assertThrows } from "@std/assert";
import { applyReplacements, EditFault } from "../../../src/tool/file/replace.ts";

const once = (text: string, old_string: string, new_string: string, replace_all?: boolean) =>
  applyReplacements(text, [{ old_string, new_string, replace_all }], 1);

Deno.test("applyReplacements() replaces a unique match", () => {
  assertEquals(once("a b c", "b", "B"), "a B c");
});

Deno.test("applyReplacements() takes replacement texts literally", () => {
  assertEquals(once("a b c", "b", "$& $1 $$"), "a $& $1 $$ c");
  assertEquals(once("b b", "b", "$&", true), "$& $&");
});

Deno.test("applyReplacements() refuses what is not there, not unique, or no change", () => {
  assertThrows(() => once("a", "x", "y"), EditFault, "was not found");
  assertThrows(() => once("a a a", "a", "b"), EditFault, "found 3 times");
  assertThrows(() => once("a", "a", "a"), EditFault, "the same");
  assertThrows(() => once("a", "", "x"), EditFault, "use write");
  assertThrows(() => once("a", "a", "\ud83d"), EditFault, "half of a character");
  assertThrows(() => once("a\ud83d\ude00", "\ud83d", "b"), EditFault, "half of a character");
  assertThrows(() => once("a\r\n", "a\r\n", "a\n"), EditFault, "would stay as it is");
});

Deno.test("applyReplacements() says on which lines a text stands that is not unique, overlapping ones too", () => {
  assertThrows(() => once("a\nb\na\n", "a", "x"), EditFault, "(lines 1, 3)");
  assertThrows(() => once("\n\n\n", "\n\n", "x"), EditFault, "found 2 times (lines 1, 2)");
  assertThrows(() => once("a\n".repeat(50), "a", "x"), EditFault, "9, 10, …)");
});

Deno.test("applyReplacements() makes all edits or none, and names the one that fails", () => {
  const edits = [{ old_string: "a", new_string: "b" }, { old_string: "zz", new_string: "y" }];
  assertThrows(() => applyReplacements("a", edits), EditFault, "edits[1]");
  assertThrows(() => applyReplacements("a", edits, 1), EditFault, "edits[0]");
  assertEquals(applyReplacements("a", [edits[0]!, { old_string: "b", new_string: "c" }]), "c");
});

Deno.test("applyReplacements() keeps a file's CRLF line ends, also in what is put in", () => {
  assertEquals(once("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2"), "1\r\n2\r\nthree\r\n");
  assertEquals(once("one\r\ntwo\r\n", "one", "1\n1b"), "1\r\n1b\r\ntwo\r\n");
  assertEquals(once("one\r\ntwo\r\n", "o", "0\n", true), "0\r\nne\r\ntw0\r\n\r\n");
});

Deno.test("applyReplacements() never leaves half of a line end behind", () => {
  assertEquals(once("a\r\nb\r\nc\r\n", "\nb", "\nX"), "a\r\nX\r\nc\r\n");
  assertEquals(once("a\r\nb\r\nc\r\n", "\nb", ""), "a\r\nc\r\n");
  assertEquals(once("a\r\nb\r\nb\r\n", "\nb", "\nX", true), "a\r\nX\r\nX\r\n");
  assertEquals(once("z\na\r\nb\r\nc\r\n", "\nb", "\nX"), "z\na\r\nX\r\nc\r\n");
  assertEquals(once("a\r\nb\nc\n", "\nb", "\nX"), "a\r\nX\nc\n");
  assertEquals(once("a\nb\r\nc\r\n", "\nb", "X"), "aX\r\nc\r\n");
});

Deno.test("applyReplacements() gives a place in a file of mixed line ends those around it", () => {
  const mixed = "a\r\nb\r\nc\nd\n";
  assertEquals(once(mixed, "a\nb", "A\nB"), "A\r\nB\r\nc\nd\n");
  assertEquals(once(mixed, "a", "A\nA"), "A\r\nA\r\nb\r\nc\nd\n");
  assertEquals(once(mixed, "c", "C\nC"), "a\r\nb\r\nC\nC\nd\n");
});

Deno.test("applyReplacements() finds text with CRLF in a file with LF, and keeps the file's", () => {
  assertEquals(once("one\ntwo\n", "one\r\ntwo", "1\r\n2"), "1\n2\n");
});

Deno.test("applyReplacements() leaves a missing last newline alone", () => {
  assertEquals(once("a\nb", "b", "c"), "a\nc");
});

Deno.test("a CRLF file stays one when an edit takes its last line end away and the next puts lines in", () => {
  const edits = [{ old_string: "a\na", new_string: "a" }, { old_string: "a", new_string: "a\nb\nc" }];
  assertEquals(applyReplacements("a\r\na", edits), "a\r\nb\r\nc");
  assertEquals(applyReplacements("a\na", edits), "a\nb\nc");
});
