import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AgentError } from "../../src/errors.ts";
import { checkCwd, reconcileCwd } from "../../src/session/cwd.ts";

async function withDir(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(await Deno.realPath(dir));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("checkCwd() says what is wrong: relative, missing, no directory", () =>
  withDir(async (dir) => {
    await checkCwd(dir);
    await Deno.writeTextFile(join(dir, "f"), "");
    for (
      const [cwd, text] of [["rel", "absolute"], [join(dir, "no"), "does not exist"], [
        join(dir, "f"),
        "not a directory",
      ]]
    ) {
      const error = await assertRejects(() => checkCwd(cwd!), AgentError, text);
      assertEquals(error.kind, "invalid-params");
      assertStringIncludes(error.message, cwd!);
    }
  }));

Deno.test("reconcileCwd() keeps the stored directory where both are one place", () =>
  withDir(async (dir) => {
    await Deno.mkdir(join(dir, "real"));
    await Deno.symlink(join(dir, "real"), join(dir, "link"));
    assertEquals(await reconcileCwd(join(dir, "real"), join(dir, "link")), join(dir, "real"));
    assertEquals(await reconcileCwd(join(dir, "real"), `${join(dir, "real")}/`), join(dir, "real"));
  }));

Deno.test("reconcileCwd() takes the requested directory where the stored one is gone", () =>
  withDir(async (dir) => {
    assertEquals(await reconcileCwd(join(dir, "gone"), dir), dir);
  }));

Deno.test("reconcileCwd() names both directories where they differ, and refuses a log without one", () =>
  withDir(async (dir) => {
    await Deno.mkdir(join(dir, "a"));
    await Deno.mkdir(join(dir, "b"));
    const error = await assertRejects(() => reconcileCwd(join(dir, "a"), join(dir, "b")), AgentError);
    assertStringIncludes(error.message, join(dir, "a"));
    assertStringIncludes(error.message, join(dir, "b"));
    await assertRejects(() => reconcileCwd("", dir), AgentError, "no absolute working directory");
  }));
