import { assertEquals } from "@std/assert";
import { problemIn, sentence, ToolFault } from "../../src/tool/fault.ts";
import { builtinTools } from "../../src/tool/registry.ts";

const tools = builtinTools();
const place = { cwd: "/w" };
const args = '{"path":"a"}';

Deno.test("a fault tells the model what to do, and people what is wrong", () => {
  const outcome = new ToolFault("old_string is empty.", "Give one.", "Not changed.").outcome();
  assertEquals([outcome.text, outcome.isError], ["old_string is empty. Give one.", true]);
  assertEquals(tools.presentResult("edit", args, outcome, place).blocks, [{
    type: "text",
    text: "Not changed.",
  }]);
});

Deno.test("a problem is drawn as it stands, whatever Markdown would make of it", () => {
  const drawn = (text: string) => tools.presentResult("read", args, { text, isError: true }, place);
  assertEquals(drawn("/w/__a__: no such file").blocks, [{
    type: "text",
    text: "/w/\\_\\_a\\_\\_: no such file",
  }]);
  assertEquals(drawn("a(\n ^").blocks, [{ type: "text", text: "```\na(\n ^\n```" }]);
  assertEquals(drawn("/w/__a__").terminalNote, "/w/__a__\n");
});

Deno.test("problemIn() finds none in what went well, and in facts of another shape", () => {
  assertEquals(problemIn({ text: "fine", isError: false }), undefined);
  assertEquals(problemIn({ text: "404", isError: true, facts: { about: "x", shown: "" } }), undefined);
  assertEquals(problemIn({ text: "x", isError: true, facts: { problem: 7 } }), undefined);
});

Deno.test("what was refused stays to be seen", () => {
  const outcome = { text: "no", isError: true, notRun: "refused" } as const;
  const view = tools.presentResult("write", '{"path":"a","content":"x"}', outcome, place);
  assertEquals(view.blocks, [
    { type: "diff", path: "/w/a", newText: "x" },
    { type: "text", text: "Refused." },
  ]);
});

Deno.test("sentence() ends in one full stop", () => {
  assertEquals(["a", "a.", "a!\n"].map(sentence), ["a.", "a.", "a!"]);
});
