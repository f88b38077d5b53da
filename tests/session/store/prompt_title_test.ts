import { assertEquals } from "@std/assert";
import type { PromptPart } from "../../../src/session/event.ts";
import { emptySummary, summarize } from "../../../src/session/store/summary.ts";

const text = (text: string): PromptPart => ({ type: "text", text });
const link = (name: string): PromptPart => ({ type: "link", uri: "file:///w/x", name });
const context = (uri: string): PromptPart => ({ type: "context", uri, text: "…" });
const image = (uri?: string): PromptPart => ({ type: "image", mimeType: "image/png", data: "AAAA", uri });

/** The title of a session that begins with this prompt. */
function titleOf(...prompt: PromptPart[]): string | undefined {
  const started = { type: "turn.started", turn: "t", messageId: "m", prompt } as const;
  return summarize(emptySummary("sess_1"), { event: started, time: 0 }).title;
}

Deno.test("a title names what is mentioned between the words", () => {
  assertEquals(
    titleOf(text("Fix "), link("a.ts"), text(", as in "), image("zed:///x?name=Shot"), text(".")),
    "Fix a.ts, as in Shot.",
  );
  assertEquals(titleOf(text("Fix"), context("file:///w/a%20b.ts#L1:2")), "Fix a b.ts");
});

Deno.test("a title does not begin with what an editor sends before the words", () => {
  assertEquals(titleOf(context("file:///w/a.ts"), text(" "), link("b.ts"), text("Fix it")), "Fix it");
});

Deno.test("a prompt without words is named by what it points to, a nameless picture by nothing", () => {
  assertEquals(titleOf(link("a.ts"), context("file:///w/src/"), text(" ")), "a.ts, src/");
  assertEquals(titleOf(image()), undefined);
});
