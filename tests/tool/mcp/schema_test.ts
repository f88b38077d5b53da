import { assertEquals, assertMatch } from "@std/assert";
import { safeSchema } from "../../../src/tool/mcp/schema.ts";

Deno.test("a small schema of an object stays, with what is not known in it", () => {
  const schema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/x" } },
    required: ["a"],
    $defs: { x: {} },
    "x-own": [1],
  };
  assertEquals(safeSchema({ $schema: "http://json-schema.org/draft-07/schema#", ...schema }), { schema });
});

Deno.test("the root is made an object", () => {
  assertEquals(safeSchema({}).schema, { type: "object", properties: {} });
  assertEquals(safeSchema({ type: "string", properties: [] }).schema, { type: "object", properties: {} });
});

Deno.test("what cannot be shown becomes an object of anything, and says why", () => {
  let deep: unknown = {};
  for (let i = 0; i < 50; i++) deep = { properties: { a: deep } };
  const cases: [unknown, RegExp][] = [
    [
      { type: "object", properties: { a: { description: "d".repeat(9_000) } } },
      /too long to be shown \(9\d{3} /,
    ],
    [deep, /too deeply/],
    [undefined, /says nothing/],
    [[], /says nothing/],
  ];
  for (const [given, why] of cases) {
    const { schema, note } = safeSchema(given);
    assertEquals(schema, { type: "object", properties: {}, additionalProperties: true });
    assertMatch(note!, why);
  }
});
