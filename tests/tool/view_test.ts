import { assertEquals } from "@std/assert";
import { code, fence } from "../../src/tool/view.ts";

Deno.test("fence() is longer than any run of backticks inside", () => {
  assertEquals(fence("a\n", "console"), "```console\na\n```");
  assertEquals(fence("``` x\n"), "````\n``` x\n````");
  assertEquals(fence("`````"), "``````\n`````\n``````");
});

Deno.test("code() survives backticks and line breaks", () => {
  assertEquals(code("a b"), "`a b`");
  assertEquals(code("a`b"), "``a`b``");
  assertEquals(code("`a"), "`` `a ``");
  assertEquals(code("a\nb"), "`a b`");
});
