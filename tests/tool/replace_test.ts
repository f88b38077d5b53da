import { assertEquals, assertThrows } from "@std/assert";
import { applyReplacements, EditFault } from "../../src/tool/replace.ts";

const once = (text: string, old_string: string, new_string: string, replace_all?: boolean) =>
  applyReplacements(text, [{ old_string, new_string, replace_all }]);

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
});

Deno.test("applyReplacements() makes all edits or none, and names the one that fails", () => {
  const edits = [{ old_string: "a", new_string: "b" }, { old_string: "zz", new_string: "y" }];
  assertThrows(() => applyReplacements("a", edits), EditFault, "edits[1]");
  assertEquals(applyReplacements("a", [edits[0]!, { old_string: "b", new_string: "c" }]), "c");
});

Deno.test("applyReplacements() keeps a file's CRLF line ends", () => {
  assertEquals(once("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2"), "1\r\n2\r\nthree\r\n");
});

Deno.test("applyReplacements() leaves a byte order mark and a missing last newline alone", () => {
  assertEquals(once("\uFEFFa\nb", "b", "c"), "\uFEFFa\nc");
});
