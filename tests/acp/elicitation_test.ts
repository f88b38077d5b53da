import { assert, assertEquals } from "@std/assert";
import { elicitationRequest, readElicited } from "../../src/acp/elicitation.ts";
import { jsonBytes } from "../../src/presentation/bounds.ts";
import type { Form, FormField } from "../../src/tool/ask/form.ts";
import { faultsOfLine } from "../support/schema.ts";

const BOTH = { form: true, url: true };
const OPTIONS = [{ value: "a", title: "A", description: "first" }, { value: "b", title: "B" }];
const FORM: Form = {
  title: "Deploy",
  description: "Where to",
  fields: [
    {
      name: "mail",
      title: "Mail",
      required: true,
      type: "text",
      minLength: 3,
      maxLength: 9,
      format: "email",
    },
    { name: "note", required: false, type: "text", default: "none" },
    { name: "count", required: true, type: "integer", minimum: 1, maximum: 5, default: 2 },
    { name: "ratio", required: false, type: "number", minimum: 0 },
    { name: "force", required: false, type: "boolean", default: false },
    { name: "one", required: false, type: "choice", options: OPTIONS, default: "a" },
    { name: "many", required: false, type: "choices", options: OPTIONS, minItems: 1, default: ["a", "b"] },
  ],
};
const form = (fields: readonly FormField[] = FORM.fields) =>
  ({ mode: "form", message: "Fill in", form: { ...FORM, fields } }) as const;
const page = (url: string) => ({ mode: "url", message: "Log in", url, id: "e1" }) as const;

function assertValid(params: unknown): void {
  const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params });
  assertEquals(faultsOfLine(line, () => undefined), []);
}

Deno.test("a form's fields become the properties of the requested schema", () => {
  const request = elicitationRequest("s", { ...form(), callId: "c" }, BOTH);
  assertValid(request);
  const oneOf = [{ const: "a", title: "A", description: "first" }, { const: "b", title: "B" }];
  assertEquals<unknown>(request, {
    sessionId: "s",
    toolCallId: "c",
    message: "Fill in",
    mode: "form",
    requestedSchema: {
      type: "object",
      title: "Deploy",
      description: "Where to",
      properties: {
        mail: { type: "string", title: "Mail", minLength: 3, maxLength: 9, format: "email" },
        note: { type: "string", default: "none" },
        count: { type: "integer", minimum: 1, maximum: 5, default: 2 },
        ratio: { type: "number", minimum: 0 },
        force: { type: "boolean", default: false },
        one: { type: "string", oneOf, default: "a" },
        many: { type: "array", items: { anyOf: oneOf }, minItems: 1, default: ["a", "b"] },
      },
      required: ["mail", "count"],
    },
  });
});

Deno.test("a page is named by its address and its id, in a session or in a call of it", () => {
  const request = elicitationRequest("s", page("https://example.com/login"), BOTH);
  assertValid(request);
  assertEquals<unknown>(request, {
    sessionId: "s",
    message: "Log in",
    mode: "url",
    elicitationId: "e1",
    url: "https://example.com/login",
  });
  const params = { elicitationId: "e1" };
  const line = JSON.stringify({ jsonrpc: "2.0", method: "elicitation/complete", params });
  assertEquals(faultsOfLine(line, () => undefined), []);
});

Deno.test("what the client has not declared is not sent", () => {
  assertEquals(elicitationRequest("s", form(), { form: false, url: true }), undefined);
  assertEquals(elicitationRequest("s", page("https://x/"), { form: true, url: false }), undefined);
});

Deno.test("an address that is no web page's is not sent", () => {
  const bad = [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "vscode://x",
    "login",
    "",
    `https://x/${"a".repeat(9000)}`,
  ];
  for (const url of bad) assertEquals(elicitationRequest("s", page(url), BOTH), undefined, url);
  for (const url of ["https://x/", "http://127.0.0.1:8080/callback"]) {
    assert(elicitationRequest("s", page(url), BOTH), url);
  }
});

Deno.test("long words are cut; a form whose values alone are too long is not sent", () => {
  const long = "データ".repeat(30_000);
  const spoken = { ...form(), message: long, form: { ...FORM, title: long, description: long } };
  const request = elicitationRequest("s", spoken, BOTH);
  assert(request && jsonBytes(request) < 60 * 1024);
  const options = [{ value: long, title: "A" }];
  const field: FormField = { name: "x", required: true, type: "choice", options };
  assertEquals(elicitationRequest("s", form([field]), BOTH), undefined);
});

Deno.test("only an answer that fits the form is one", () => {
  const content = { mail: "a@b", count: 3, many: ["b"] };
  assertEquals(readElicited(form(), { action: "accept", content }), { action: "accept", content });
  for (const action of ["decline", "cancel"] as const) {
    assertEquals(readElicited(form(), { action, content }), { action });
  }
  const garbage = [
    { action: "accept", content: { ...content, count: "3" } },
    { action: "accept", content: { mail: "a@b" } },
    { action: "accept" },
    { action: "_later", content },
    { content },
    null,
    undefined,
    "accept",
    [],
  ];
  for (const response of garbage) assertEquals(readElicited(form(), response), { action: "failed" });
});

Deno.test("a page has no answer but the user's leave", () => {
  const visit = page("https://x/");
  assertEquals(readElicited(visit, { action: "accept", content: { a: 1 } }), {
    action: "accept",
    content: {},
  });
  assertEquals(readElicited(visit, { action: "decline" }), { action: "decline" });
  assertEquals(readElicited(visit, {}), { action: "failed" });
});
