import { assertEquals } from "@std/assert";
import { type FormField, readForm } from "../../../src/tool/ask/form.ts";

const OPTIONS = [{ value: "a", title: "A" }, { value: "b", title: "B" }];

/** Each field with values that are an answer, and values that are none. */
const FIELDS: [string, FormField, readonly unknown[], readonly unknown[]][] = [
  [
    "a text",
    { name: "x", required: true, type: "text", minLength: 1, maxLength: 3 },
    ["a", "abc", "日本"],
    ["", "abcd", 1, null, ["a"], {}, undefined],
  ],
  [
    "a whole number",
    { name: "x", required: true, type: "integer", minimum: 1, maximum: 3 },
    [1, 3],
    [0, 4, 1.5, "1", NaN, true],
  ],
  [
    "a number",
    { name: "x", required: true, type: "number", minimum: 0 },
    [0, 1.5],
    [-1, Infinity, "1.5", null],
  ],
  ["a yes or no", { name: "x", required: true, type: "boolean" }, [true, false], ["true", 0, null]],
  ["a choice", { name: "x", required: true, type: "choice", options: OPTIONS }, ["a"], ["A", "", ["a"], 0]],
  [
    "choices",
    { name: "x", required: true, type: "choices", options: OPTIONS, minItems: 1, maxItems: 2 },
    [["a"], ["b", "a"]],
    [[], ["a", "c"], "a", { 0: "a" }, [["a"]]],
  ],
];

for (const [what, field, good, bad] of FIELDS) {
  Deno.test(`readForm() takes ${what}, and only that`, () => {
    for (const value of good) {
      assertEquals(readForm({ fields: [field] }, { x: value }), { x: value as never });
    }
    for (const value of bad) {
      assertEquals(readForm({ fields: [field] }, { x: value }), undefined, JSON.stringify(value));
    }
  });
}

Deno.test("readForm() drops what was not asked for, and what was said twice", () => {
  const fields: FormField[] = [{ name: "x", required: false, type: "choices", options: OPTIONS }];
  assertEquals(readForm({ fields }, { x: ["a", "a"], y: 1 }), { x: ["a"] });
});

Deno.test("readForm() lets a field be empty that is not required", () => {
  const fields = FIELDS.map(([, field], i): FormField => ({ ...field, name: `f${i}`, required: false }));
  const empty = Object.fromEntries(fields.map(({ name }) => [name, ""]));
  for (const sent of [undefined, null, {}, empty]) assertEquals(readForm({ fields }, sent), {});
  for (const sent of ["", "x", 7, [], true]) assertEquals(readForm({ fields }, sent), undefined);
});

Deno.test("readForm() sees no answer in what every object has", () => {
  const field: FormField = { name: "constructor", required: true, type: "text" };
  assertEquals(readForm({ fields: [field] }, {}), undefined);
});
