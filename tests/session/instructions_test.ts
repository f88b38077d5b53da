import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readInstructions } from "../../src/session/instructions.ts";

async function inWorkspace(body: (workspace: string, outside: string) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(join(root, "w"));
    await body(join(root, "w"), root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("readInstructions() reads AGENTS.md of the workspace, and a link inside it", () =>
  inWorkspace(async (workspace) => {
    await Deno.writeTextFile(join(workspace, "AGENTS.md"), "\nUse tabs.\n");
    assertEquals((await readInstructions(workspace))?.text, "Use tabs.");
    await Deno.rename(join(workspace, "AGENTS.md"), join(workspace, "CLAUDE.md"));
    await Deno.symlink("CLAUDE.md", join(workspace, "AGENTS.md"));
    assertEquals((await readInstructions(workspace))?.path, join(workspace, "CLAUDE.md"));
  }));

Deno.test("readInstructions() ignores a link that leads out, a FIFO, a directory, nothing", () =>
  inWorkspace(async (workspace, outside) => {
    const path = join(workspace, "AGENTS.md");
    assertEquals(await readInstructions(workspace), undefined);
    await Deno.writeTextFile(join(outside, "secret"), "key");
    await Deno.symlink(join(outside, "secret"), path);
    assertEquals(await readInstructions(workspace), undefined);
    await Deno.remove(path);
    await Deno.mkdir(path);
    assertEquals(await readInstructions(workspace), undefined);
    await Deno.remove(path);
    await new Deno.Command("mkfifo", { args: [path] }).output();
    assertEquals(await readInstructions(workspace), undefined);
  }));

Deno.test("readInstructions() is bounded", () =>
  inWorkspace(async (workspace) => {
    await Deno.writeTextFile(join(workspace, "AGENTS.md"), "x".repeat(100_000));
    assertEquals((await readInstructions(workspace))?.text.length, 32 * 1024);
  }));
