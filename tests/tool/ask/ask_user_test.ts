import { assertEquals } from "@std/assert";
import { type AskFacts, askUser } from "../../../src/tool/ask/ask_user.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import type { ToolContext } from "../../../src/tool/tool.ts";
import type { Chosen, Elicitation, Elicited, NoAnswer } from "../../../src/tool/user.ts";

const OPTIONS = [{ label: "A" }, { label: "B" }];

/** Runs a question with a user who answers so; `asked` says in which ways they were asked. */
async function play(args: unknown, elicited: Elicited, chosen: Chosen = { action: "failed" }) {
  const asked: (Elicitation | "buttons")[] = [];
  const context = {
    signal: new AbortController().signal,
    user: {
      elicit: (elicitation: Elicitation) => {
        asked.push(elicitation);
        return Promise.resolve(elicited);
      },
      choose: () => {
        asked.push("buttons");
        return Promise.resolve(chosen);
      },
    },
  } as unknown as ToolContext;
  const { text, isError, facts } = await askUser.run(args, context);
  return { asked, text, isError, facts: facts as unknown as AskFacts };
}

Deno.test("buttons come only where there is no form, and an option is chosen by them", async () => {
  const question = { question: "Q?", options: OPTIONS };
  const chosen = { action: "accept", index: 1 } as const;
  const buttons = await play(question, { action: "unsupported" }, chosen);
  assertEquals([buttons.asked.length, buttons.facts], [2, { how: "answered", chosen: ["B"], text: "" }]);
  for (const action of ["decline", "cancel", "failed", "nobody"] as const) {
    const { asked, facts } = await play(question, { action }, chosen);
    assertEquals([asked.length, facts.how], [1, action]);
  }
});

Deno.test("where nobody is there, the model is told to decide by itself", async () => {
  const { text, isError } = await play({ question: "Q?" }, { action: "nobody" });
  assertEquals(text.split(".")[0], "No user is there to answer");
  assertEquals(isError, false);
});

Deno.test("very long words of the user are cut, with a note", async () => {
  const { facts } = await play({ question: "Q?" }, {
    action: "accept",
    content: { answer: "x".repeat(20_007) },
  });
  assertEquals(facts.text.slice(19_999), "x\n… 7 characters left out …");
});

Deno.test("two options of one name are refused, since the answer could mean either", () => {
  const args = JSON.stringify({ question: "Q?", options: [...OPTIONS, { label: "A" }] });
  const parsed = builtinTools().parse("ask_user", args);
  assertEquals(parsed.ok ? "" : parsed.fault.message.includes("same label"), true);
});

Deno.test("the card says why there is no answer, in words for people", () => {
  const shown = (how: NoAnswer | "secret") => {
    const facts = { how, chosen: [], text: "" };
    const view = builtinTools().presentResult(
      "ask_user",
      '{"question":"Q?"}',
      { text: "for the model", isError: false, facts },
      { cwd: "/w" },
    );
    return view.blocks?.map((block) => block.type === "text" ? block.text : "");
  };
  assertEquals(shown("decline"), ["Q?", "No answer."]);
  assertEquals(shown("unsupported"), ["Q?", "To be answered in the chat."]);
  assertEquals(shown("nobody"), ["Q?", "No user was there to answer."]);
  assertEquals(shown("secret"), ["Q?", "Not asked: secrets do not belong in a chat."]);
});
