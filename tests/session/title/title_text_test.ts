import { assertEquals, assertStringIncludes } from "@std/assert";
import { demoModel } from "../../../src/model/demo.ts";
import { cleanTitle, TITLE_PROMPT, titleRequest } from "../../../src/session/title/title_text.ts";

const TITLES: Readonly<Record<string, string>> = {
  "Fix the date parser": "Fix the date parser",
  '"Fix the date parser."\n': "Fix the date parser",
  "**Title:** Fix the date parser": "Fix the date parser",
  "# Fix   the date\tparser\n\nIt was broken.": "Fix the date parser",
  "Here is the title:\n\n- `Fix the date parser`": "Fix the date parser",
  "<think>\nThe user wants…\n</think>\n\nFix the date parser": "Fix the date parser",
  "「日期解析器の修正」": "日期解析器の修正",
  "Fehler in `parse()` beheben": "Fehler in `parse()` beheben",
  "Fix\u0007 the \u202edate parser": "Fix the date parser",
  "C++: read a file": "C++: read a file",
};

for (const [written, title] of Object.entries(TITLES)) {
  Deno.test(`cleanTitle() reads ${JSON.stringify(written)} as ${title}`, () => {
    assertEquals(cleanTitle(written), title);
  });
}

for (
  const [why, written] of [
    ["nothing", ""],
    ["only marks", "***\n---"],
    ["prose instead of a title", `I cannot ${"really ".repeat(20)}say.`],
    ["a key", "Rotate sk-live-abcdefghijklmnop1234"],
    ["only thoughts", "<think>hm</think>"],
  ] as const
) {
  Deno.test(`cleanTitle() finds none in ${why}`, () => assertEquals(cleanTitle(written), undefined));
}

Deno.test("cleanTitle() takes 80 characters and not 81", () => {
  assertEquals(cleanTitle("😀a".repeat(40))?.length, 120);
  assertEquals(cleanTitle("😀a".repeat(40) + "b"), undefined);
});

Deno.test("titleRequest() is small, without tools, and thinks only where that cannot be chosen", () => {
  const topic = { asked: "please", answered: "done" };
  const request = titleRequest(topic, demoModel());
  assertEquals([request.system, request.tools, request.thought], [TITLE_PROMPT, [], undefined]);
  assertStringIncludes(request.messages[0]!.text, "<user>\nplease\n</user>\n<agent>\ndone\n</agent>");
  assertEquals(titleRequest(topic, { ...demoModel(), thinks: true }).thought, "off");
});
