import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { commandName, ModelNames, partsOf, shownName } from "../../../src/tool/mcp/names.ts";

Deno.test("a plain name stays as it is", () => {
  const names = new ModelNames();
  assertEquals(names.take("files", "read_text-file"), "mcp__files__read_text-file");
  assertEquals(partsOf("mcp__files__read_text-file"), { server: "files", tool: "read_text-file" });
  assertEquals(partsOf("bash"), undefined);
});

Deno.test("any names become safe, short and unique, and say server and tool", () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 90 }),
    fc.constantFrom("a b", "a.b", "a/b", "a__b", "", "_"),
  );
  fc.assert(fc.property(fc.array(fc.tuple(name, name), { maxLength: 30 }), (pairs) => {
    const names = new ModelNames();
    const taken = pairs.map(([server, tool]) => names.take(server, tool));
    assertEquals(new Set(taken).size, taken.length);
    for (const one of taken) {
      assertMatch(one, /^mcp__[A-Za-z0-9_-]+__[A-Za-z0-9_-]+$/);
      assert(one.length <= 64 && partsOf(one), one);
    }
  }));
});

Deno.test("a name that is cut keeps its own, whatever stands beside it", () => {
  const long = "n".repeat(200);
  assertEquals(new ModelNames().take("s", long), new ModelNames().take("s", long));
  assertNotEquals(new ModelNames().take("s", long), new ModelNames().take("s", long + "n"));
});

Deno.test("the name of a grant is the name itself where it is plain, and else no other name's", () => {
  assertEquals(["say", "get sum", "a.b/c:d@e"].map(shownName), ["say", "get sum", "a.b/c:d@e"]);
  const strange = ["a`b", "a\nb", "ab\u202e", " ab", "", "(resources)", "n".repeat(100), "n".repeat(101)];
  const shown = strange.map(shownName);
  assertEquals(new Set([...shown, "ab", "a b"]).size, strange.length + 2);
  for (const name of shown) {
    assertMatch(name, /^[^`\n\u202e]*~[0-9a-z]{6}$/);
    assert(name.length <= 80);
  }
});

Deno.test("a prompt's command has no space or slash", () => {
  assertEquals(commandName("every", "args-prompt"), "every:args-prompt");
  assertMatch(commandName("a b/c", "x y/z"), /^a_b_c:x_y_z$/);
});
