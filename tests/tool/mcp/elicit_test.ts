import { assertEquals } from "@std/assert";
import { elicitResult, formOf, wantsSecret } from "../../../src/tool/mcp/elicit.ts";

type Params = Parameters<typeof formOf>[0];
const form = (properties: Record<string, unknown>, required: string[] = []) =>
  formOf({ message: "m", requestedSchema: { type: "object", properties, required } } as Params);

Deno.test("each kind of property becomes a field", () => {
  const fields = form({
    text: { type: "string", title: "T\u202e", format: "email", minLength: 1, default: "a@b.c" },
    odd: { type: "string", format: "hostname" },
    count: { type: "integer", minimum: 1, default: 2 },
    yes: { type: "boolean", default: true },
    one: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    titled: { type: "string", oneOf: [{ const: "x", title: "X" }] },
    many: { type: "array", items: { enum: ["p", "q"] }, maxItems: 2, default: ["p"] },
  }, ["text"])!.fields;
  assertEquals(fields.map((f) => [f.name, f.type, f.required]), [
    ["text", "text", true],
    ["odd", "text", false],
    ["count", "integer", false],
    ["yes", "boolean", false],
    ["one", "choice", false],
    ["titled", "choice", false],
    ["many", "choices", false],
  ]);
  assertEquals(JSON.parse(JSON.stringify(fields[0])), {
    name: "text",
    required: true,
    title: "T",
    type: "text",
    minLength: 1,
    format: "email",
    default: "a@b.c",
  });
  const { options } = fields[4] as { options?: unknown };
  assertEquals(options, [{ value: "a", title: "A" }, { value: "b", title: "B" }]);
});

Deno.test("a form that cannot be drawn is none", () => {
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`f${i}`, { type: "string" }]));
  assertEquals([form(many), form({ a: { type: "object" } })], [undefined, undefined]);
});

Deno.test("a secret is found in the question, a title, a description or a name", () => {
  const plain = form({ colour: { type: "string", description: "The token budget" } })!;
  assertEquals(wantsSecret("Which colour?", plain), false);
  assertEquals(wantsSecret("Please enter your password.", plain), true);
  const by = (property: Record<string, unknown>, name = "a") =>
    wantsSecret("m", form({ [name]: { type: "string", ...property } })!);
  assertEquals([
    by({ title: "API key" }),
    by({ description: "Paste your access token here" }),
    by({}, "apiKey"),
  ], [true, true, true]);
});

Deno.test("only a clear yes is an answer", () => {
  assertEquals(elicitResult({ action: "accept", content: { a: 1 } }), {
    action: "accept",
    content: { a: 1 },
  });
  const others = (["decline", "cancel", "unsupported", "failed", "nobody"] as const).map((action) =>
    elicitResult({ action }).action
  );
  assertEquals(others, ["decline", "cancel", "cancel", "cancel", "cancel"]);
});
