import { assertEquals } from "@std/assert";
import { nearNames } from "../../../src/tool/file/missing_file.ts";

Deno.test("nearNames() gives the names that may be meant, the likest first", () => {
  const names = ["main.ts", "main_test.ts", "README.md", "mod.ts", "a\nb.ts"];
  assertEquals(nearNames("mian.ts", names), ["main.ts"]);
  assertEquals(nearNames("Main.ts", names)[0], "main.ts");
  assertEquals(nearNames("readme", names), ["README.md"]);
  assertEquals(nearNames("zzz", names), []);
});
