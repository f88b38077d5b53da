import { assert, assertEquals } from "@std/assert";
import { permissionRequest, readAnswer } from "../../src/acp/permission.ts";
import { decide, type FetchAction } from "../../src/permission/decide.ts";
import { readAddress } from "../../src/tool/fetch/fetch_url.ts";

Deno.test("only a clear yes is a yes", () => {
  const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } });
  assertEquals(readAnswer(selected("allow_once"), false), "allow");
  assertEquals(readAnswer(selected("allow_always"), true), "allow-always");
  assertEquals(readAnswer({ outcome: { outcome: "cancelled" } }, true), "cancelled");
  const noes = [
    selected("reject_once"),
    selected("allow_always"),
    selected(undefined),
    selected({}),
    {},
    null,
    7,
    "yes",
    {
      outcome: "selected",
    },
    { outcome: { outcome: "maybe", optionId: "allow_once" } },
  ];
  for (const garbage of noes) assertEquals(readAnswer(garbage, false), "reject");
});

Deno.test("the request repeats the card and says what is asked for and why", () => {
  const request = permissionRequest(
    "s",
    {
      callId: "c",
      action: { kind: "command", command: "ls", cwd: "/w" },
      reason: "Because.",
      preview: undefined,
      always: undefined,
    },
    { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" }, content: [] },
  );
  assertEquals(request.toolCall.title, "ls");
  assertEquals(request.toolCall.rawInput, { command: "ls" });
  assertEquals(request.toolCall.content, [
    { type: "content", content: { type: "text", text: "Run this command in `/w`?\n\nBecause." } },
  ]);
  assertEquals(request.options.map((o) => o.kind), ["allow_once", "reject_once"]);
});

Deno.test("an always is offered with its whole scope in the name, and said again in the content", () => {
  const request = permissionRequest("s", {
    callId: "c",
    action: { kind: "command", command: "npm i", cwd: "/w", escalate: "network" },
    reason: "Because.",
    preview: undefined,
    always: "Always allow `npm i` with network access in this workspace",
  }, undefined);
  assertEquals(request.options.map((o) => o.kind), ["allow_once", "allow_always", "reject_once"]);
  assertEquals(request.options[1]?.name, "Always allow `npm i` with network access in this workspace");
  const [explanation] = request.toolCall.content ?? [];
  const text = explanation?.type === "content" && explanation.content.type === "text"
    ? explanation.content.text
    : "";
  assertEquals(text.split("\n")[0], "Run this command in `/w` with network access?");
  assertEquals(text.includes('"Always" means'), true);
});

Deno.test("the longest question about a page leaves nothing of it out", () => {
  const host = (letter: string) => `${`${letter.repeat(61)}.`.repeat(4)}${letter.repeat(5)}`;
  const start = `https://${host("a")}/?`;
  const action: FetchAction = {
    kind: "fetch",
    url: readAddress(start + "\\".repeat(Math.floor((2048 - start.length) / 3))).href,
    host: host("a"),
    redirectedBy: host("b"),
  };
  const asked = decide({ preset: "workspace" }, action);
  assert(asked.verdict === "ask" && asked.always);
  const { reason, always } = asked;
  const request = permissionRequest(
    "s",
    { callId: "c", action, reason, preview: undefined, always: always.label },
    undefined,
  );
  const text = JSON.stringify(request);
  assert(text.includes(action.url) && text.includes(always.label) && !text.includes("left out"), text);
});

Deno.test("a question about a page shows the host and the whole address", () => {
  const url = `https://a.test/?${"q".repeat(2000)}`;
  const request = permissionRequest("s", {
    callId: "c",
    action: { kind: "fetch", url, host: "a.test" },
    reason: "Because.",
    preview: undefined,
    always: undefined,
  }, undefined);
  assertEquals(request.toolCall.content, [{
    type: "content",
    content: { type: "text", text: `Fetch this address from the host \`a.test\`?\n\n\`${url}\`\n\nBecause.` },
  }]);
});

Deno.test("a question about a tool of an MCP server names both", () => {
  const request = permissionRequest("s", {
    callId: "c",
    action: { kind: "mcp", server: "files", tool: "find" },
    reason: "Because.",
    preview: undefined,
    always: undefined,
  }, undefined);
  const text = "Call the tool `find` of the MCP server `files`?\n\nBecause.";
  assertEquals(request.toolCall.content, [{ type: "content", content: { type: "text", text } }]);
});
