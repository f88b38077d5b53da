import { assertEquals, assertMatch } from "@std/assert";
import { MAX_RESULT, outcomeOf, resourceText } from "../../../src/tool/mcp/result.ts";

type Result = Parameters<typeof outcomeOf>[2];
const outcome = (result: Partial<Result>, redact = (text: string) => text) =>
  outcomeOf("s", "t", { content: [], ...result } as Result, redact);

Deno.test("each kind of block becomes text", () => {
  const { text } = outcome({
    content: [
      { type: "text", text: "one" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "audio", mimeType: "audio/wav", data: "AAAAAAAA" },
      { type: "resource_link", uri: "file:///a", name: "a", description: "the\nfirst" },
      { type: "resource", resource: { uri: "file:///b", text: "inside" } },
      { type: "resource", resource: { uri: "file:///c", blob: "AAAA", mimeType: "application/pdf" } },
    ],
  });
  assertEquals(text.split("\n"), [
    "one",
    "[image, image/png, 3 bytes: not shown]",
    "[audio, audio/wav, 6 bytes: not shown]",
    "[resource file:///a (a): the first]",
    "[resource file:///b]",
    "inside",
    "file:///c [resource, application/pdf, 3 bytes: not shown]",
  ]);
});

Deno.test("structured content counts where there is no text, and is not said twice", () => {
  assertEquals(outcome({ structuredContent: { a: 1 } }).text, '{"a":1}');
  assertEquals(
    outcome({ structuredContent: { a: 1 }, content: [{ type: "text", text: "a is 1" }] }).text,
    "a is 1",
  );
});

Deno.test("an error is one; nothing is said to be nothing; secrets are taken out; the log knows whose it was", () => {
  assertEquals(outcome({ isError: true, content: [{ type: "text", text: "no" }] }).isError, true);
  assertEquals(outcome({}), {
    text: "(The tool gave no result.)",
    isError: false,
    facts: { server: "s", tool: "t" },
  });
  assertEquals(
    outcome({ content: [{ type: "text", text: "key" }] }, (t) => t.replace("key", "***")).text,
    "***",
  );
});

Deno.test("a long result is cut; a resource of bytes is named", () => {
  const { text } = outcome({ content: [{ type: "text", text: "x".repeat(MAX_RESULT * 2) }] });
  assertMatch(text, /^x+\n\[… \d+ characters left out …\]\nx+$/);
  assertEquals(
    resourceText({ contents: [{ uri: "a", text: "t" }, { uri: "b", blob: "AAAA" }] }),
    "t\n[resource, 3 bytes: not shown]",
  );
});
